// The files of the page.
//
// Always holds: a file is found in this table or not at all; no path leads to the disk.

/// The files of the page, with the paths at which they are served.
enum PageFiles {
    /// A file.
    struct File {
        let type: String
        let bytes: [UInt8]
    }

    private static func script(_ bytes: [UInt8]) -> File { File(type: "text/javascript", bytes: bytes) }

    /// The file at a path below that of the cookie.
    static func file(at path: String) -> File? {
        switch path {
        case "/": File(type: "text/html", bytes: PackageResources.page_html)
        case "/page.css": File(type: "text/css", bytes: PackageResources.page_css)
        case "/icon.svg": File(type: "image/svg+xml", bytes: PackageResources.icon_svg)
        case "/changes.js": script(PackageResources.changes_js)
        case "/commit.js": script(PackageResources.commit_js)
        case "/log.js": script(PackageResources.log_js)
        case "/page.js": script(PackageResources.page_js)
        case "/panels.js": script(PackageResources.panels_js)
        case "/row.js": script(PackageResources.row_js)
        case "/rows.js": script(PackageResources.rows_js)
        case "/server.js": script(PackageResources.server_js)
        case "/text.js": script(PackageResources.text_js)
        case "/timeline.js": script(PackageResources.timeline_js)
        case "/windowed.js": script(PackageResources.windowed_js)
        default: nil
        }
    }
}
