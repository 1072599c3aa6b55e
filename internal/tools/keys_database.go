package tools

import "nanoclaw/internal/services"

// DatabasesKey finds the databases that db_query may read beside project files.
var DatabasesKey = services.NewKey[Databases]("databases")

// Databases are named in the configuration, which is asked at every call.
type Databases interface {
	// Database is the URL of a name: postgres://…, or sqlite:// and the path of a file.
	Database(name string) (url string, known bool)
	// DatabaseNames lists the names, sorted.
	DatabaseNames() []string
}
