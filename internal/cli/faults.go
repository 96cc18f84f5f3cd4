package cli

import "fmt"

// The exit statuses.
const (
	exitFailed  = 1
	exitUsage   = 2
	exitMissing = 3 // a named thing is not there
	exitNoSetup = 4 // not set up, or the daemon is needed and cannot be reached
	exitFound   = 5 // a check found problems
	exitRefused = 6 // by policy or by a lock
)

// Fault is an error for people: what, why, fix, with a code that never changes
// its meaning.
type Fault struct {
	Code  string // REM- + area + number; empty for a mere exit status
	Exit  int    // 0 for what only a check can find
	What  string // one line: what is wrong
	Why   string // the evidence of this one time; empty in the table
	About string // what it means and what happens meanwhile
	Fix   []string
}

// Error implements error.
func (f Fault) Error() string {
	if f.Why == "" {
		return f.What
	}
	return f.What + ": " + f.Why
}

// Is reports whether target is the same kind of fault.
func (f Fault) Is(target error) bool {
	t, ok := target.(Fault)
	return ok && t.Code == f.Code
}

// exits returns the fault with another exit status.
func (f Fault) exits(status int) Fault {
	f.Exit = status
	return f
}

// because returns the fault with its cause.
func (f Fault) because(format string, args ...any) Fault {
	f.Why = fmt.Sprintf(format, args...)
	return f
}

// about returns the fault with another sentence for what happened.
func (f Fault) about(format string, args ...any) Fault {
	f.What = fmt.Sprintf(format, args...)
	return f
}

// fixedBy returns the fault with other commands that repair it.
func (f Fault) fixedBy(cmds ...string) Fault {
	f.Fix = cmds
	return f
}

// foundProblems ends a check that has printed what it found.
var foundProblems = Fault{Exit: exitFound}

// The faults. Areas: D daemon, S store, P privacy, H host integration, C configuration, N servers and models,
// U usage. A code is never used again for something else.
var (
	faultOther = Fault{
		"REM-U000", exitFailed, "it did not work", "",
		"Something failed that has no code of its own. The cause is in the message.",
		[]string{"remanence doctor"},
	}
	faultUsage = Fault{
		"REM-U001", exitUsage, "unknown command or flag", "",
		"The command line was not understood. Nothing was done.",
		[]string{"remanence help"},
	}
	faultNoID = Fault{
		"REM-U002", exitMissing, "no such id", "",
		"Nothing has this id. It may have been erased, or belong to another data directory.",
		[]string{"remanence search"},
	}
	faultAmbiguous = Fault{
		"REM-U003", exitMissing, "the id fits more than one", "",
		"An id can be cut short as long as it fits one thing only.",
		[]string{"give more of the id"},
	}
	faultInput = Fault{
		"REM-U004", exitUsage, "the input cannot be used", "",
		"A value has the wrong form. Nothing was done.", nil,
	}
	faultNoProject = Fault{
		"REM-U005", exitMissing, "no such project", "",
		"No project has this id, name or directory. A project is known from its first session on.",
		[]string{"remanence status --project all"},
	}
	faultTerminal = Fault{
		"REM-U006", exitUsage, "a question has to be answered, and there is nobody to ask", "",
		"The command asks before it does this, but its input is no terminal. The flag named in the fix answers the question.",
		[]string{"add --yes"},
	}
	faultDeclined = Fault{
		"REM-U007", exitFailed, "not confirmed, so nothing was done", "",
		"The question was not answered with yes.",
		[]string{"add --yes"},
	}
	faultNoFile = Fault{
		"REM-U008", exitMissing, "no such file", "",
		"A file or folder that the command line names is not there. Nothing was done.",
		[]string{"look at the name, and at the directory that it is relative to"},
	}
	faultDenied = Fault{
		"REM-U010", exitFailed, "a file may not be read or written", "",
		"The system does not let you at a file or folder that the command line names.",
		[]string{"look at whose it is, and who may read and write it"},
	}
	faultNoWork = Fault{
		"REM-U009", exitMissing, "there is nothing to save", "",
		"A checkpoint is of a session, and none of this project has reported anything yet.",
		[]string{"remanence status", "remanence doctor"},
	}
	faultConfig = Fault{
		"REM-C001", exitFound, "the configuration has mistakes", "",
		"A setting that is unknown or has a wrong value does not count, its default does. A file that does not parse does not count at all.",
		[]string{"remanence config validate", "remanence config edit"},
	}
	faultOverridden = Fault{
		"REM-C002", 0, "a variable overrides the configuration file", "",
		"Variables of the environment come before the file.",
		[]string{"remanence config list --origin"},
	}
	faultNoHome = Fault{
		"REM-C003", exitNoSetup, "no home directory", "",
		"Neither HOME nor the XDG directories are set, so there is no place for files.",
		[]string{"set HOME"},
	}
	faultNoKey = Fault{
		"REM-C004", exitMissing, "no such setting", "",
		"The list of settings is fixed.",
		[]string{"remanence config list"},
	}
	faultEdit = Fault{
		"REM-C005", exitRefused, "the configuration file cannot be edited by command", "",
		"The file holds this setting in a form that could not be changed without touching others, or cannot be written. Nothing was written.",
		[]string{"remanence config edit"},
	}
	faultDaemon = Fault{
		"REM-D001", exitNoSetup, "the daemon does not start", "",
		"Events are kept in the spool meanwhile and taken in by the next daemon that starts.",
		[]string{"remanence doctor", "remanence daemon run"},
	}
	faultRunning = Fault{
		"REM-D002", exitRefused, "another daemon holds the lock", "",
		"One daemon at a time owns the database.",
		[]string{"remanence daemon restart"},
	}
	faultVersion = Fault{
		"REM-D003", exitFailed, "the daemon is of another version", "",
		"It runs since before an update and does not know this command.",
		[]string{"remanence daemon restart"},
	}
	faultStale = Fault{
		"REM-D004", exitNoSetup, "cannot reach the daemon", "",
		"Its lock is held but nobody answers. Events are kept in the spool meanwhile.",
		[]string{"remanence daemon restart", "remanence --no-daemon status"},
	}
	faultStuck = Fault{
		"REM-D005", 0, "background work is behind", "",
		"A job waits for more than 45 seconds, or jobs were given up. Nothing is lost: what was captured is kept.",
		[]string{"remanence daemon logs", "remanence daemon retry"},
	}
	faultSpooled = Fault{
		"REM-D006", 0, "events wait in the spool", "",
		"Events that came while no daemon answered are taken in by the next one.",
		[]string{"remanence daemon start"},
	}
	faultSlow = Fault{
		"REM-D007", exitFailed, "the daemon took too long", "",
		"It is busy or hangs. What was asked may still happen.",
		[]string{"remanence daemon restart", "remanence daemon logs"},
	}
	faultPort = Fault{
		"REM-D008", 0, "the daemon's port is not open", "",
		"Another program has the port, or it may not be used. Hooks and commands do not need it: they use the socket.",
		[]string{"remanence config set worker.http_port PORT", "remanence daemon restart"},
	}
	faultLocked = Fault{
		"REM-S001", exitRefused, "the database is locked by another program", "",
		"Only the daemon writes to the database. Another program has it open.",
		[]string{"remanence doctor"},
	}
	faultCorrupt = Fault{
		"REM-S002", exitFailed, "the database is damaged", "",
		"It is left as it is. Events are kept in the spool meanwhile. A backup can take its place, or a new database with all that can still be read of it; the damaged one is kept.",
		[]string{"remanence db restore"},
	}
	faultNewer = Fault{
		"REM-S003", exitRefused, "the database was written by a newer version", "",
		"This version would not understand all of it, so it does not open it.",
		[]string{"install the newer version"},
	}
	faultNetwork = Fault{
		"REM-S004", 0, "the data directory is on a network or shared file system", "",
		"Locks and durable writes cannot be relied on there. The database does without its log on such a disk, which makes it slower.",
		[]string{"remanence --data-dir DIR status"},
	}
	faultDisk = Fault{
		"REM-S005", 0, "the disk is nearly full", "",
		"Without space nothing can be kept. remanence db info shows what takes how much; what was erased leaves space that remanence db vacuum gives back.",
		[]string{"remanence db vacuum", "remanence db info"},
	}
	faultIndex = Fault{
		"REM-S006", 0, "the search index is out of date", "",
		"Memories may not be found by their words. They are all there: the index is made of them.",
		[]string{"remanence db reindex"},
	}
	faultLog = Fault{
		"REM-S018", 0, "the log of the database is long", "",
		"Another program keeps the database open, so that what was written cannot be folded in. Nothing is lost; it takes up space until that program ends.",
		[]string{"end the program that has the database open"},
	}
	faultRows = Fault{
		"REM-S019", 0, "rows of the database cannot be read", "",
		"The database is sound but for single rows, in which a disk or a program changed what was written. All else goes on without them. A new database can be made of the rest; the present one is kept.",
		[]string{"remanence db restore --salvage"},
	}
	faultModes = Fault{
		"REM-S007", 0, "others can read the data", "",
		"Directories have to be 0700 and files 0600.",
		[]string{"remanence doctor --fix"},
	}
	faultClock = Fault{
		"REM-S008", 0, "the clock was ahead, or went backwards", "",
		"Some records are dated in the future. Order does not depend on it, ages do.",
		[]string{"set the clock"},
	}
	faultForeign = Fault{
		"REM-S009", exitRefused, "the file is not a database of Remanence", "",
		"It is left as it is. A database can take its place, and what is there is kept aside.",
		[]string{"remanence --data-dir DIR status", "remanence db restore"},
	}
	faultStore = Fault{
		"REM-S010", exitFailed, "the store cannot be used", "",
		"The database could not be opened or written.",
		[]string{"remanence doctor"},
	}
	faultFull = Fault{
		"REM-S013", exitFailed, "the disk is full", "",
		"Nothing was changed. What was kept before is safe. Events go to the spool as long as that has room, and are counted where it has none.",
		[]string{"free some space", "remanence db info", "remanence db vacuum"},
	}
	faultReadOnly = Fault{
		"REM-S014", exitFailed, "the data directory cannot be written", "",
		"The database, its directory or the whole file system is read-only, or belongs to somebody else. Nothing was changed.",
		[]string{"make the directory writable", "remanence --data-dir DIR status"},
	}
	faultDiskFails = Fault{
		"REM-S015", exitFailed, "the disk fails to read or write", "",
		"The system reported an error of the disk or a limit on the size of files. What was acknowledged before is kept. Where a part of the database stays unreadable, remanence db restore saves the rest.",
		[]string{"look at the system's log of the disk", "remanence db check --full", "remanence db backup FILE"},
	}
	faultNoDatabase = Fault{
		"REM-S016", exitMissing, "there is no database yet", "",
		"It is made when the first thing is remembered.",
		[]string{"remanence status", "remanence db restore FILE"},
	}
	faultNoBackup = Fault{
		"REM-S017", exitMissing, "there is no backup to restore", "",
		"Backups and the copies of before a migration lie beside the database. Another file can be named.",
		[]string{"remanence db restore FILE", "remanence db restore --salvage", "remanence db backup"},
	}
	faultTrip = Fault{
		"REM-S011", exitFailed, "what is written is not found again", "",
		"A write, index and recall in a scratch store did not come round.",
		[]string{"remanence version"},
	}
	faultTags = Fault{
		"REM-S012", 0, "tags are in the store that no text should hold", "",
		"What stands between <private> tags, and what was told to an agent, is taken out before anything is kept. Here it was not.",
		[]string{"remanence search private", "remanence purge ID"},
	}
	faultNoModel = Fault{
		"REM-N001", exitNoSetup, "no model is set up to digest turns", "",
		"Turns are digested by rule, which needs no model. A key in the environment alone switches nothing on.",
		[]string{"remanence config set digest.provider openai", "remanence help digest"},
	}
	faultCap = Fault{
		"REM-N002", exitRefused, "the model's tokens of today are spent", "",
		"No model is asked beyond digest.daily_tokens. Turns wait for the next day; meanwhile what the rules made of them counts.",
		[]string{"remanence config set digest.daily_tokens NUMBER", "remanence digest"},
	}
	faultModel = Fault{
		"REM-N004", 0, "the model does not digest turns", "",
		"What the rules made of them counts meanwhile, and nothing waits for it. Turns that were given up can be digested again.",
		[]string{"remanence config list", "remanence daemon restart", "remanence config set digest.provider none"},
	}
	faultEmbedding = Fault{
		"REM-N003", 0, "the embedding server gives no vectors", "",
		"Memories are found by their words meanwhile, and nothing waits for it. What has no vector gets one when the server answers again.",
		[]string{"remanence config list", "remanence config set embed.provider none"},
	}
	faultVault = Fault{
		"REM-V001", exitFailed, "the vault cannot be read or written", "",
		"Nothing of it is told meanwhile. What is remembered stays.",
		[]string{"remanence vault path", "remanence vault check"},
	}
	faultNoVault = Fault{
		"REM-V002", exitMissing, "there is no vault", "",
		"A vault is a folder of markdown files: who you are, one file for each memory, a journal.",
		[]string{"remanence vault init", "remanence config set vault.dir DIR"},
	}
	faultVaultFiles = Fault{
		"REM-V003", 0, "files of the vault are left out or wait for you", "",
		"The others are told. A copy beside a file holds what was changed here while somebody changed the file: take from it what you want and delete it.",
		[]string{"remanence vault check"},
	}
	faultLacking = Fault{
		"REM-V004", exitFound, "something that must not be missing would not be told", "",
		"Invariants, who you are, and the files of vault.critical are told at every start. A larger budget or shorter files make room.",
		[]string{"remanence vault check", "remanence config set hooks.session_start.token_budget N"},
	}
	faultSecrets = Fault{
		"REM-P001", exitFound, "secrets in the store", "",
		"What was kept before a rule knew them, or typed into a memory, may hold secrets. They are searched for by today's rules.",
		[]string{"remanence privacy scan --fix", "remanence privacy scan"},
	}
	faultForeignFiles = Fault{
		"REM-P002", 0, "the repository's own memory is not trusted, so it is not read", "",
		"What a repository says about itself may have been written by anybody. It is told to no agent and changed by no hook before you say that you stand for it, for this directory and this repository. Worktrees that git made of it and a renamed directory stay trusted.",
		[]string{"remanence trust", "remanence mind show"},
	}
	faultNotTrusted = Fault{
		"REM-P003", exitRefused, "the repository's own memory is not trusted", "",
		"Look at the files first. Trust counts for this directory and this repository; another repository in the same place is asked about again.",
		[]string{"remanence trust"},
	}
	faultStateFile = Fault{
		"REM-P004", exitRefused, "a state file cannot be used", "",
		"State files are plain text files of yours below 1 MB, without links, under one name, and without the marks of a merge. The file was left as it is.",
		[]string{"look at the file named above", "remanence doctor"},
	}
	faultPersonOnly = Fault{
		"REM-P005", exitRefused, "only a person can trust a repository", "",
		"It was called from within an agent's session. What an agent reads may tell it to trust more.",
		[]string{"run it in a terminal of your own: remanence trust"},
	}
	faultStateOld = Fault{
		"REM-P006", 0, "the state files need a hand", "",
		"They are told to every session. What is out of date or cannot be read helps nobody.",
		[]string{"bring .mind/STATE.md up to date", "remanence mind compress"},
	}
	faultNoAgent = Fault{
		"REM-H000", exitNoSetup, "no supported agent was found", "",
		"Supported now: Claude Code (claude-code).",
		[]string{"remanence install claude-code"},
	}
	faultBinary = Fault{
		"REM-H001", exitFailed, "the program that hooks run is missing or cannot be used", "",
		"Hooks name the program by its absolute path.",
		[]string{"remanence install claude-code"},
	}
	faultCache = Fault{
		"REM-H002", 0, "the agent keeps other versions of the plugin", "",
		"It may run one that is not this version. Installing anew leaves one.",
		[]string{"remanence install claude-code --plugin"},
	}
	faultPath = Fault{
		"REM-H003", 0, "several programs called remanence are on the search path", "",
		"Which one runs depends on where it is called from.",
		[]string{"remove the ones you do not want"},
	}
	faultHooks = Fault{
		"REM-H004", 0, "hooks are missing", "",
		"What the agent does not report cannot be remembered.",
		[]string{"remanence install claude-code"},
	}
	faultDoubled = Fault{
		"REM-H005", 0, "hooks are registered twice", "",
		"Each event is stored once, but starts two processes.",
		[]string{"remanence doctor --fix"},
	}
	faultOld = Fault{
		"REM-H006", 0, "hooks are those of another version", "",
		"They still work as that version meant them.",
		[]string{"remanence install claude-code"},
	}
	faultServer = Fault{
		"REM-H008", 0, "the MCP server is registered and does not answer", "",
		"The agent has no memory tools in its sessions. Hooks work all the same.",
		[]string{"remanence install claude-code --mcp-only"},
	}
	faultUntrusted = Fault{
		"REM-H007", 0, "the agent does not trust this directory, so it runs no hooks here", "",
		"Claude Code asks once for every directory when it is started in a terminal there. Until it is answered with yes, hooks do not run.",
		[]string{"start claude in this directory and trust it", "remanence doctor"},
	}
	faultDisabled = Fault{
		"REM-H009", 0, "the agent has its hooks switched off", "",
		"Nothing is captured or told until they are on again.",
		[]string{"remanence doctor"},
	}
	faultSlowHooks = Fault{
		"REM-H010", 0, "hooks take long", "",
		"The agent waits for every hook. A slow disk or a busy machine shows here first.",
		[]string{"remanence daemon logs"},
	}
	faultSilent = Fault{
		"REM-H016", 0, "hooks are registered, but no event has ever come", "",
		"The agent may need a restart, run with other settings, or not trust the directory.",
		[]string{"restart the agent", "remanence daemon logs"},
	}
	faultCleanup = Fault{
		"REM-H011", 0, "the agent deletes its transcripts soon", "",
		"Memories stay. Of a session whose transcript is gone, its last words cannot be read again.",
		[]string{"set cleanupPeriodDays in the agent's settings"},
	}
	faultOthers = Fault{
		"REM-H012", 0, "another memory tool is active", "",
		"Both add to the context, and both cost tokens.",
		[]string{"remanence doctor"},
	}
	faultOff = Fault{
		"REM-H013", 0, "capture or telling is switched off", "",
		"By a pause, the silent profile or a budget of 0.",
		[]string{"remanence resume", "remanence config list --origin"},
	}
	faultDropped = Fault{
		"REM-H014", 0, "events could not be kept", "",
		"There was neither a daemon nor space in the spool, or the time was up.",
		[]string{"remanence daemon logs"},
	}
	faultSettings = Fault{
		"REM-H015", exitRefused, "the agent's settings cannot be edited", "",
		"What cannot be read or is of an unknown shape is left as it is.",
		[]string{"see to that file, then run the command again"},
	}
)

// Faults lists every fault, by code within each area.
func Faults() []Fault {
	return []Fault{
		faultDaemon, faultRunning, faultVersion, faultStale, faultStuck, faultSpooled, faultSlow, faultPort,
		faultLocked, faultCorrupt, faultNewer, faultNetwork, faultDisk, faultLog, faultIndex, faultRows, faultModes, faultClock, faultForeign, faultStore, faultTrip, faultTags,
		faultNoModel, faultCap, faultModel, faultEmbedding, faultFull, faultReadOnly, faultDiskFails, faultNoDatabase, faultNoBackup,
		faultNoAgent, faultBinary, faultCache, faultPath, faultHooks, faultDoubled, faultOld, faultUntrusted, faultServer, faultDisabled, faultSlowHooks, faultCleanup, faultOthers, faultOff, faultDropped, faultSettings, faultSilent,
		faultConfig, faultOverridden, faultNoHome, faultNoKey, faultEdit,
		faultVault, faultNoVault, faultVaultFiles, faultLacking,
		faultSecrets, faultForeignFiles, faultNotTrusted, faultStateFile, faultPersonOnly, faultStateOld,
		faultOther, faultUsage, faultNoID, faultAmbiguous, faultInput, faultNoProject, faultTerminal, faultDeclined, faultNoFile,
		faultNoWork, faultDenied,
	}
}
