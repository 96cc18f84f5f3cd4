package lang

import "testing"

// A statement revises another one that has the same subject and one other answer. Each row that revises nothing is
// held off by one condition: another subject, a part of it, two answers, an answer that may hold beside the first.
func TestARevisionGivesOneOtherAnswer(t *testing.T) {
	const disk, queue = "We keep attachments on local disk", "The job queue uses SQLite"
	for _, tt := range []struct {
		now, then, about string
		want             bool
	}{
		{"let's put the attachments on S3 after all", disk, "", true},
		{"Actually, put attachments on S3", disk, "", true},
		{"Actually, put attachments on S3, the disks fill up", disk, "", true},
		{"No, attachments go to S3", disk, "", true},
		{"Put attachments in Postgres instead", disk, "", true},
		{"let's go back to S3 for the attachments", disk, "", true},
		{"let's put them on S3 after all", disk, "the attachments fill the disks", true},
		{"let's use Postgres for the job queue after all", queue, "", true},
		{"The job queue should use Postgres instead", queue, "", true},
		{"Log with zap after all", "We log with slog", "", true},
		{"Set the request timeout to 60 seconds instead", "The request timeout is 30 seconds by default", "", true},
		{"Retry 5 times in the client instead", "Retry 3 times in the client", "", true},
		{"Use Python 3.12 for the build after all", "Use Python 3.11 for the build", "", true},
		{"let's retry in the client after all", "We do not retry in the client", "", true},
		{"We don't retry in the client after all", "We retry in the client", "", true},
		{"Lass uns die Anhänge doch auf S3 legen", "Wir speichern die Anhänge auf der lokalen Platte", "", true},
		{"Die Anhänge kommen doch auf S3", "Die Anhänge liegen auf der lokalen Platte", "", true},
		{"Finalement, mets les pièces jointes sur S3", "On garde les pièces jointes sur le disque local", "", true},
		{"Mejor pon los adjuntos en S3", "Guardamos los adjuntos en el disco local", "", true},
		{"Invece mettiamo gli allegati su S3", "Teniamo gli allegati su disco", "", true},
		{"Лучше храним вложения в S3", "Храним вложения на диске", "", true},
		{"let's put attachments on S3 after all", disk + " because S3 is slow", "", true},

		{"let's put the thumbnails on S3 after all", disk, "", false},
		{"let's put the attachment thumbnails on S3 after all", disk, "", false},
		{"let's put the attachments of mails on S3 after all", disk, "", false},
		{"let's put attachments on S3 after all", "Old attachments are kept on tape", "", false},
		{"let's put them on S3 after all", disk, "the thumbnails fill the disks", false},
		{"let's put them on S3 after all", disk, "", false},
		{"let's keep attachments on the local disk after all", disk, "", false},
		{"let's keep attachments on disk after all", disk, "", false},
		{"Also put the attachments on S3 instead", disk, "", false},
		{"let's encrypt attachments on S3 after all", disk, "", false},
		{"let's not put attachments on S3 after all", disk, "", false},
		{"let's put attachments on S3 if the disk is full after all", disk, "", false},
		{"let's only put attachments on S3 after all", disk, "", false},
		{"let's put attachments on S3 with encryption after all", disk, "", false},
		{"let's put attachments on S3 after all", "We keep attachments on disk before upload", "", false},
		{"let's use S3 for attachments after all", disk, "", false},
		{"Sync invoices from S3 to Postgres after all", "Sync invoices from Postgres to S3", "", false},
		{"The worker calls the API after all", "The API calls the worker", "", false},
		{"Run lint before build after all", "Run build before lint", "", false},
		{"Run lint before deploy after all", "Run lint before build", "", false},
		{"Keep orders in Redis and carts in Postgres after all", "Keep orders in Postgres and carts in Redis", "", false},
		{"Step 3 uses Postgres after all", "Step 2 uses Postgres", "", false},
		{"Retry 5 times in the worker after all", "Retry 3 times in the client", "", false},
		{"Use port 9090 for production after all", "Use port 8080 for staging", "", false},
		{"Version 3 clients use JSON after all", "Version 2 clients use JSON", "", false},
		{"Never commit after all", "", "", false},
		{"after all", disk, "", false},
		{"Keep `secrets` documentation in the config repository after all", "Never commit secrets to the config " +
			"repository", "", false},
	} {
		if got := Revises(tt.now, tt.then, tt.about); got != tt.want {
			t.Errorf("%q after %q: %v\n now %+v\nthen %+v", tt.now, tt.then, got, readFrame(tt.now), readFrame(tt.then))
		}
	}
}

func TestAReturnIsAPhraseOfItsOwn(t *testing.T) {
	for text, want := range map[string]bool{
		"let's put them on S3 after all": true, "Put them on S3 instead.": true, "Lass uns doch S3 nehmen": true,
		"put them on S3": false, "we named it instead-of-none": false, "after allocation we free it": false,
	} {
		if got := Returns(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
