package fault

// The faults. Areas: D daemon, S store, P privacy, H host integration, C configuration, N servers and models,
// U usage. A code is never used again for something else.
var (
	Other = Fault{
		"REM-U000", ExitFailed, "it did not work", "",
		"Something failed that has no code of its own. The cause is in the message.",
		[]string{"remanence doctor"},
	}
	Usage = Fault{
		"REM-U001", ExitUsage, "unknown command or flag", "",
		"The command line was not understood. Nothing was done.",
		[]string{"remanence help"},
	}
	NoID = Fault{
		"REM-U002", exitMissing, "no such id", "",
		"Nothing has this id. It may have been erased, or belong to another data directory.",
		[]string{"remanence search"},
	}
	Ambiguous = Fault{
		"REM-U003", exitMissing, "the id fits more than one", "",
		"An id can be cut short as long as it fits one thing only.",
		[]string{"give more of the id"},
	}
	Input = Fault{
		"REM-U004", ExitUsage, "the input cannot be used", "",
		"A value has the wrong form. Nothing was done.", nil,
	}
	NoProject = Fault{
		"REM-U005", exitMissing, "no such project", "",
		"No project has this id, name or directory. A project is known from its first session on.",
		[]string{"remanence status --project all"},
	}
	Terminal = Fault{
		"REM-U006", ExitUsage, "a question has to be answered, and the input is no terminal", "",
		"The command asks for confirmation, but it cannot ask without a terminal. The flag named in the fix answers the " +
			"question.",
		[]string{"add --yes"},
	}
	Declined = Fault{
		"REM-U007", ExitFailed, "not confirmed, so nothing was done", "",
		"The question was not answered with yes.",
		[]string{"add --yes"},
	}
	NoFile = Fault{
		"REM-U008", exitMissing, "no such file", "",
		"A file or folder that the command line names is not there. Nothing was done.",
		[]string{"look at the name, and at the directory that it is relative to"},
	}
	Denied = Fault{
		"REM-U010", ExitFailed, "a file may not be read or written", "",
		"The system does not let you at a file or folder that the command line names.",
		[]string{"look at whose it is, and who may read and write it"},
	}
	NoWork = Fault{
		"REM-U009", exitMissing, "there is nothing to save", "",
		"A checkpoint is of a session, and none of this project has reported anything yet.",
		[]string{"remanence status", "remanence doctor"},
	}
	Config = Fault{
		"REM-C001", exitFound, "the configuration has mistakes", "",
		"A setting that is unknown or has a wrong value does not count, its default does. A file that does not parse does " +
			"not count at all.",
		[]string{"remanence config validate", "remanence config edit"},
	}
	Overridden = Fault{
		"REM-C002", 0, "a variable overrides the configuration file", "",
		"Variables of the environment come before the file.",
		[]string{"remanence config list --origin"},
	}
	NoHome = Fault{
		"REM-C003", ExitNoSetup, "no home directory", "",
		"Neither HOME nor the XDG directories are set, so there is no place for files.",
		[]string{"set HOME"},
	}
	NoKey = Fault{
		"REM-C004", exitMissing, "no such setting", "",
		"The list of settings is fixed.",
		[]string{"remanence config list"},
	}
	Edit = Fault{
		"REM-C005", ExitRefused, "the configuration file cannot be edited by command", "",
		"The file holds this setting in a form that could not be changed without touching others, or cannot be written. " +
			"Nothing was written.",
		[]string{"remanence config edit"},
	}
	Daemon = Fault{
		"REM-D001", ExitNoSetup, "the daemon does not start", "",
		"Events are kept in the spool meanwhile and taken in by the next daemon that starts.",
		[]string{"remanence doctor", "remanence daemon run"},
	}
	Running = Fault{
		"REM-D002", ExitRefused, "another daemon holds the lock", "",
		"One daemon at a time owns the database.",
		[]string{"remanence daemon restart"},
	}
	Version = Fault{
		"REM-D003", ExitFailed, "the daemon is of another version", "",
		"It runs since before an update and does not know this command.",
		[]string{"remanence daemon restart"},
	}
	Unreachable = Fault{
		"REM-D004", ExitNoSetup, "cannot reach the daemon", "",
		"Its lock is held, but no daemon answers. Events are kept in the spool meanwhile.",
		[]string{"remanence daemon restart", "remanence --no-daemon status"},
	}
	Stuck = Fault{
		"REM-D005", 0, "background work is behind", "",
		"A job waits for more than 45 seconds, or jobs were given up. Nothing is lost: what was captured is kept.",
		[]string{"remanence daemon logs", "remanence daemon retry"},
	}
	Spooled = Fault{
		"REM-D006", 0, "events wait in the spool", "",
		"Events that came while no daemon answered are taken in by the next one.",
		[]string{"remanence daemon start"},
	}
	SlowDaemon = Fault{
		"REM-D007", ExitFailed, "the daemon took too long", "",
		"It is busy or hangs. The request may still be carried out.",
		[]string{"remanence daemon restart", "remanence daemon logs"},
	}
	Port = Fault{
		"REM-D008", 0, "the daemon's port is not open", "",
		"Another program has the port, or it may not be used. Hooks and commands do not need it: they use the socket.",
		[]string{"remanence config set worker.http_port PORT", "remanence daemon restart"},
	}
	Locked = Fault{
		"REM-S001", ExitRefused, "the database is locked by another program", "",
		"Only the daemon writes to the database. Another program has it open.",
		[]string{"remanence doctor"},
	}
	Corrupt = Fault{
		"REM-S002", ExitFailed, "the database is damaged", "",
		"It is left as it is. Events are kept in the spool meanwhile. A backup can take its place, or a new database with " +
			"all that can still be read of it; the damaged one is kept.",
		[]string{"remanence db restore"},
	}
	Away = Fault{
		"REM-S020", ExitFailed, "the database server cannot be reached", "",
		"The memory is on a server (store.dsn), and it does not answer. Events are kept in the spool until it does; none " +
			"of them is lost. Nothing is recalled meanwhile.",
		[]string{"remanence doctor", "remanence config get store.dsn"},
	}
	ServerSetup = Fault{
		"REM-S022", 0, "the database server should be set up otherwise", "",
		"It works, but not as well or as safely as it could.",
		[]string{"remanence doctor"},
	}
	TeamServer = Fault{
		"REM-S024", 0, "sharing with the team does not work as it should", "",
		"Your memory and hooks are not affected: what is to be shared waits on this machine.",
		[]string{"remanence doctor"},
	}
	OnServer = Fault{
		"REM-S021", ExitRefused, "this works on the SQLite file, and the memory is on a database server", "",
		"The server's own programs back up, check and restore what it stores.",
		[]string{"PostgreSQL: pg_dump --schema remanence", "SurrealDB: surreal export"},
	}
	NotMoved = Fault{
		"REM-S023", ExitRefused, "the memory was not moved", "",
		"It stays where it is, and store.dsn as it was. What was copied so far does no harm: the same command goes on from " +
			"there.",
		[]string{"remanence db move --to ADDRESS --dry-run"},
	}
	Newer = Fault{
		"REM-S003", ExitRefused, "the database was written by a newer version", "",
		"This version would not understand all of it, so it does not open it.",
		[]string{"install the newer version"},
	}
	Network = Fault{
		"REM-S004", 0, "the data directory is on a network or shared file system", "",
		"Locks and durable writes cannot be relied on there. The database does without its log on such a disk, which " +
			"makes it slower.",
		[]string{"remanence --data-dir DIR status"},
	}
	DiskLow = Fault{
		"REM-S005", 0, "the disk is nearly full", "",
		"Without space nothing can be kept. remanence db info shows what takes how much; what was erased leaves space " +
			"that remanence db vacuum gives back.",
		[]string{"remanence db vacuum", "remanence db info"},
	}
	Index = Fault{
		"REM-S006", 0, "the search index is out of date", "",
		"Memories may not be found by their words. They are all there: the index is made of them.",
		[]string{"remanence db reindex"},
	}
	LongLog = Fault{
		"REM-S018", 0, "the log of the database is long", "",
		"Another program keeps the database open, so that what was written cannot be folded in. Nothing is lost; it takes " +
			"up space until that program ends.",
		[]string{"end the program that has the database open"},
	}
	Rows = Fault{
		"REM-S019", 0, "rows of the database cannot be read", "",
		"The database is sound but for single rows, in which a disk or a program changed what was written. All else goes " +
			"on without them. A new database can be made of the rest; the present one is kept.",
		[]string{"remanence db restore --salvage"},
	}
	Modes = Fault{
		"REM-S007", 0, "others can read the data", "",
		"Directories have to be 0700 and files 0600.",
		[]string{"remanence doctor --fix"},
	}
	Clock = Fault{
		"REM-S008", 0, "the clock was ahead, or went backwards", "",
		"Some records are dated in the future. Order does not depend on it, ages do.",
		[]string{"set the clock"},
	}
	Foreign = Fault{
		"REM-S009", ExitRefused, "the file is not a database of Remanence", "",
		"It is left as it is. A database can take its place, and what is there is kept aside.",
		[]string{"remanence --data-dir DIR status", "remanence db restore"},
	}
	Store = Fault{
		"REM-S010", ExitFailed, "the store cannot be used", "",
		"The database could not be opened or written.",
		[]string{"remanence doctor"},
	}
	DiskFull = Fault{
		"REM-S013", ExitFailed, "the disk is full", "",
		"Nothing was changed. What was kept before is safe. Events go to the spool as long as that has room, and are " +
			"counted where it has none.",
		[]string{"free some space", "remanence db info", "remanence db vacuum"},
	}
	ReadOnly = Fault{
		"REM-S014", ExitFailed, "the data directory cannot be written", "",
		"The database, its directory or the whole file system is read-only, or belongs to another user. Nothing was changed.",
		[]string{"make the directory writable", "remanence --data-dir DIR status"},
	}
	DiskFails = Fault{
		"REM-S015", ExitFailed, "the disk fails to read or write", "",
		"The system reported an error of the disk or a limit on the size of files. What was acknowledged before is kept. " +
			"Where a part of the database stays unreadable, remanence db restore saves the rest.",
		[]string{"look at the system's log of the disk", "remanence db check --full", "remanence db backup FILE"},
	}
	NoDatabase = Fault{
		"REM-S016", exitMissing, "there is no database yet", "",
		"It is made when the first thing is remembered.",
		[]string{"remanence status", "remanence db restore FILE"},
	}
	NoBackup = Fault{
		"REM-S017", exitMissing, "there is no backup to restore", "",
		"Backups and the copies of before a migration lie beside the database. Another file can be named.",
		[]string{"remanence db restore FILE", "remanence db restore --salvage", "remanence db backup"},
	}
	Trip = Fault{
		"REM-S011", ExitFailed, "what is written is not found again", "",
		"A write, index and recall in a scratch store did not come round.",
		[]string{"remanence version"},
	}
	Tags = Fault{
		"REM-S012", 0, "tags are in the store that no text should hold", "",
		"What stands between <private> tags, and what was injected, is taken out before anything is kept. Here it " +
			"was not.",
		[]string{"remanence search private", "remanence purge ID"},
	}
	NoModel = Fault{
		"REM-N001", ExitNoSetup, "no model is set up to digest turns", "",
		"Turns are digested by rule, which needs no model. A key in the environment alone switches nothing on.",
		[]string{"remanence config set digest.provider openai", "remanence help digest"},
	}
	TokenCap = Fault{
		"REM-N002", ExitRefused, "the model's tokens of today are spent", "",
		"No model is used beyond digest.daily_tokens. Turns wait for the next day; meanwhile what the rules made of them " +
			"counts.",
		[]string{"remanence config set digest.daily_tokens NUMBER", "remanence digest"},
	}
	Model = Fault{
		"REM-N004", 0, "the model does not digest turns", "",
		"What the rules made of them counts meanwhile, and nothing waits for it. Turns that were given up can be digested " +
			"again.",
		[]string{"remanence config list", "remanence daemon restart", "remanence config set digest.provider none"},
	}
	Embedding = Fault{
		"REM-N003", 0, "the embedding server gives no vectors", "",
		"Memories are found by their words meanwhile, and nothing waits for it. What has no vector gets one when the " +
			"server answers again.",
		[]string{"remanence config list", "remanence config set embed.provider none"},
	}
	Vault = Fault{
		"REM-V001", ExitFailed, "the vault cannot be read or written", "",
		"Nothing of it is injected meanwhile. What is remembered stays.",
		[]string{"remanence vault path", "remanence vault check"},
	}
	NoVault = Fault{
		"REM-V002", exitMissing, "there is no vault", "",
		"A vault is a folder of markdown files: who you are, one file for each memory, a journal.",
		[]string{"remanence vault init", "remanence config set vault.dir DIR"},
	}
	VaultFiles = Fault{
		"REM-V003", 0, "files of the vault are left out or wait for you", "",
		"The other files are injected. If a file and its memory were both changed, a copy beside the file has the change " +
			"made here: take from it what you want and delete it.",
		[]string{"remanence vault check"},
	}
	Lacking = Fault{
		"REM-V004", exitFound, "a required item would not be injected", "",
		"Invariants, who you are, and the files of vault.critical are injected at every start. A larger budget or shorter " +
			"files make room.",
		[]string{"remanence vault check", "remanence config set hooks.session_start.token_budget N"},
	}
	Secrets = Fault{
		"REM-P001", exitFound, "secrets in the store", "",
		"What was kept before a rule knew them, or typed into a memory, may hold secrets. They are searched for by " +
			"today's rules.",
		[]string{"remanence privacy scan --fix", "remanence privacy scan"},
	}
	ForeignFiles = Fault{
		"REM-P002", 0, "the repository's own memory is not trusted, so it is not read", "",
		"What a repository says about itself may have been written by anyone. It is neither injected nor changed by a " +
			"hook before you declare it trusted, for this directory and this repository. Worktrees that git made of " +
			"it and a renamed directory stay trusted.",
		[]string{"remanence trust", "remanence mind show"},
	}
	NotTrusted = Fault{
		"REM-P003", ExitRefused, "the repository's own memory is not trusted", "",
		"Look at the files first. Trust counts for this directory and this repository; another repository in the same " +
			"place needs a new decision.",
		[]string{"remanence trust"},
	}
	StateFile = Fault{
		"REM-P004", ExitRefused, "a state file cannot be used", "",
		"State files are plain text files of yours below 1 MB, without links, under one name, and without the marks of a " +
			"merge. The file was left as it is.",
		[]string{"look at the file named above", "remanence doctor"},
	}
	PersonOnly = Fault{
		"REM-P005", ExitRefused, "only a person can trust a repository", "",
		"It was called from within an agent's session. Text that an agent reads may instruct it to trust more.",
		[]string{"run it in a terminal of your own: remanence trust"},
	}
	StateOld = Fault{
		"REM-P006", 0, "the state files need a hand", "",
		"They are injected into every session. Outdated or unreadable files do not help.",
		[]string{"bring .mind/STATE.md up to date", "remanence mind compress"},
	}
	NoAgent = Fault{
		"REM-H000", ExitNoSetup, "no supported agent was found", "",
		"Supported now: Claude Code (claude-code).",
		[]string{"remanence install claude-code"},
	}
	Binary = Fault{
		"REM-H001", ExitFailed, "the program that hooks run is missing or cannot be used", "",
		"Hooks name the program by its absolute path.",
		[]string{"remanence install claude-code"},
	}
	Cache = Fault{
		"REM-H002", 0, "the agent keeps other versions of the plugin", "",
		"It may run one that is not this version. Installing anew leaves one.",
		[]string{"remanence install claude-code --plugin"},
	}
	Path = Fault{
		"REM-H003", 0, "several programs called remanence are on the search path", "",
		"Which one runs depends on where it is called from.",
		[]string{"remove the ones you do not want"},
	}
	Hooks = Fault{
		"REM-H004", 0, "hooks are missing", "",
		"What the agent does not report cannot be remembered.",
		[]string{"remanence install claude-code"},
	}
	Doubled = Fault{
		"REM-H005", 0, "hooks are registered twice", "",
		"Each event is stored once, but starts two processes.",
		[]string{"remanence doctor --fix"},
	}
	OldHooks = Fault{
		"REM-H006", 0, "hooks are those of another version", "",
		"They still work as that version meant them.",
		[]string{"remanence install claude-code"},
	}
	Server = Fault{
		"REM-H008", 0, "the MCP server is registered and does not answer", "",
		"The agent has no memory tools in its sessions. Hooks work all the same.",
		[]string{"remanence install claude-code --mcp-only"},
	}
	Untrusted = Fault{
		"REM-H007", 0, "the agent does not trust this directory, so it runs no hooks here", "",
		"Claude Code asks once for every directory when it is started in a terminal there. Until it is answered with yes, " +
			"hooks do not run.",
		[]string{"start claude in this directory and trust it", "remanence doctor"},
	}
	HooksUntrusted = Fault{
		"REM-H017", 0, "the agent skips the hooks until its configuration trusts them", "",
		"Codex runs a hook only if its configuration has the hook's hash. Nothing is captured or injected until then.",
		[]string{"remanence install codex --yes"},
	}
	Disabled = Fault{
		"REM-H009", 0, "the agent has its hooks switched off", "",
		"Nothing is captured or injected until they are on again.",
		[]string{"remanence doctor"},
	}
	SlowHooks = Fault{
		"REM-H010", 0, "hooks take long", "",
		"The agent waits for every hook. A slow disk or a busy machine shows here first.",
		[]string{"remanence daemon logs"},
	}
	Silent = Fault{
		"REM-H016", 0, "hooks are registered, but no event has ever come", "",
		"The agent may need a restart, run with other settings, or not trust the directory.",
		[]string{"restart the agent", "remanence daemon logs"},
	}
	Cleanup = Fault{
		"REM-H011", 0, "the agent deletes its transcripts soon", "",
		"Memories stay. Of a session whose transcript is gone, its last words cannot be read again.",
		[]string{"set cleanupPeriodDays in the agent's settings"},
	}
	OtherTools = Fault{
		"REM-H012", 0, "another memory tool is active", "",
		"Both add to the context, and both cost tokens.",
		[]string{"remanence doctor"},
	}
	SwitchedOff = Fault{
		"REM-H013", 0, "capture or injection is switched off", "",
		"By a pause, the silent profile or a budget of 0.",
		[]string{"remanence resume", "remanence config list --origin"},
	}
	Dropped = Fault{
		"REM-H014", 0, "events could not be kept", "",
		"There was neither a daemon nor space in the spool, or the time was up. They cannot be recovered.",
		[]string{
			"remanence daemon logs", "free disk space, or end what keeps the daemon from starting", "remanence doctor --fix",
		},
	}
	Settings = Fault{
		"REM-H015", ExitRefused, "the agent's settings cannot be edited", "",
		"What cannot be read or is of an unknown shape is left as it is.",
		[]string{"see to that file, then run the command again"},
	}
)

// All lists every fault, by code within each area.
func All() []Fault {
	return []Fault{
		Daemon, Running, Version, Unreachable, Stuck, Spooled, SlowDaemon, Port,
		Locked, Corrupt, Newer, Network, DiskLow, LongLog, Index, Rows, Modes, Clock, Foreign, Store, Trip, Tags,
		NoModel, TokenCap, Model, Embedding, DiskFull, ReadOnly, DiskFails, NoDatabase, NoBackup,
		NoAgent, Binary, Cache, Path, Hooks, Doubled, OldHooks, Untrusted, Server, Disabled, SlowHooks, Cleanup, OtherTools,
		HooksUntrusted, SwitchedOff, Dropped, Settings, Silent,
		Config, Overridden, NoHome, NoKey, Edit,
		Vault, NoVault, VaultFiles, Lacking, Away, ServerSetup, TeamServer, OnServer, NotMoved,
		Secrets, ForeignFiles, NotTrusted, StateFile, PersonOnly, StateOld,
		Other, Usage, NoID, Ambiguous, Input, NoProject, Terminal, Declined, NoFile,
		NoWork, Denied,
	}
}
