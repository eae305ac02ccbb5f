//! The package's own tests, in Python, on the extension module as Cargo has just compiled it: nothing is compiled twice.
//!
//! They run in an environment of their own, which is made here (`tests/requirements.txt`). `THALWEG_PYTHON` names another
//! interpreter than the first of those below that will do; `THALWEG_SKIP_PYTHON=1` leaves the tests out.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const INTERPRETERS: [&str; 6] = ["python3", "python3.14", "python3.13", "python3.12", "python3.11", "python3.10"];

#[test]
fn the_package_passes_its_tests() {
    if env::var_os("THALWEG_SKIP_PYTHON").is_some_and(|skip| skip == "1") {
        println!("NOT TESTED: the Python package (THALWEG_SKIP_PYTHON=1)");
        return;
    }
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python");
    let python = environment(&folder.join("environment"), &crate_folder.join("tests/requirements.txt"));
    let package = folder.join("package");
    stage(&crate_folder.join("python/thalweg"), &package.join("thalweg"));
    run(Command::new(python)
        .args(["-m", "pytest", "-q", "--color=no", "-p", "no:cacheprovider"])
        .arg(crate_folder.join("tests"))
        .env("PYTHONPATH", &package)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(&folder));
}

/// Runs a command to its end, which must be a good one.
fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}

/// An interpreter with what the tests need, in a folder of its own; made again where the requirements have changed.
fn environment(folder: &Path, requirements: &Path) -> PathBuf {
    let wanted = fs::read_to_string(requirements).expect("the requirements");
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let stamp = folder.join("requirements.txt");
    if fs::read_to_string(&stamp).is_ok_and(|made| made == wanted) {
        return python;
    }
    let _ = fs::remove_dir_all(folder);
    println!("making an environment for Python in {}", folder.display());
    run(Command::new(interpreter()).args(["-m", "venv"]).arg(folder));
    run(Command::new(&python)
        .args(["-m", "pip", "install", "-q", "--disable-pip-version-check", "-r"])
        .arg(requirements));
    fs::write(stamp, wanted).expect("the environment's stamp");
    python
}

/// An interpreter that is new enough and can make environments.
fn interpreter() -> PathBuf {
    let will_do = |name: &OsStr| {
        let program = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
        let output = Command::new(name).args(["-c", program]).output();
        output.is_ok_and(|output| output.status.success())
    };
    if let Some(name) = env::var_os("THALWEG_PYTHON") {
        assert!(will_do(&name), "THALWEG_PYTHON={name:?}: not Python 3.10 or later with venv");
        return name.into();
    }
    let found = INTERPRETERS.into_iter().find(|name| will_do(OsStr::new(name)));
    found
        .expect("no Python 3.10 or later with venv (Debian: python3-venv) here; THALWEG_SKIP_PYTHON=1 skips this")
        .into()
}

/// The package as it would be installed.
fn stage(source: &Path, package: &Path) {
    let _ = fs::remove_dir_all(package);
    fs::create_dir_all(package).expect("a folder for the package");
    for entry in fs::read_dir(source).expect("the package's sources") {
        let path = entry.expect("the package's sources").path();
        if path.is_file() {
            fs::copy(&path, package.join(path.file_name().expect("a name"))).expect("a copy of the package");
        }
    }
    let module = format!("{}thalweg_python{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    let this = env::current_exe().expect("the test's own place");
    let module = this.parent().expect("a folder").join(module);
    let name = if cfg!(windows) { "_native.pyd" } else { "_native.abi3.so" };
    fs::copy(&module, package.join(name)).unwrap_or_else(|error| panic!("{}: {error}", module.display()));
}
