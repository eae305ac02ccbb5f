//! The page: three files, inside the program.

pub const HTML: &str = include_str!("page/page.html");
pub const SCRIPT: &str = include_str!("page/view.js");
pub const STYLE: &str = include_str!("page/style.css");

/// Where the page names its script and its style, which a page without a server has inside.
pub const SCRIPT_TAG: &str = "<script src=\"view.js\" defer></script>";
pub const STYLE_TAG: &str = "<link rel=\"stylesheet\" href=\"style.css\">";
