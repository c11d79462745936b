//! Files for a page: given to its field, or to the file chooser that a button opens.

use crate::aim::{Handle, Undone, impossible};
use crate::driver::Driver;
use crate::socket::CallError;
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};

impl Driver {
    /// Takes the file chooser in the browser's place, or no more; what it was opened for is forgotten.
    pub(crate) async fn catch_file_chooser(&self, catches: bool) -> Result<(), CallError> {
        self.browser.change(|state| state.file_chooser = None);
        let enabled = json!({ "enabled": catches });
        self.call(&self.session(), "Page.setInterceptFileChooserDialog", &enabled).await.map(drop)
    }

    /// Whether the last click opened a file chooser.
    pub(crate) async fn asks_for_files(&self) -> bool {
        let asked = self.browser.change(|state| state.file_chooser.is_some());
        drop(self.catch_file_chooser(false).await);
        asked
    }

    pub(crate) async fn upload(&mut self, handle: &Handle, files: &[PathBuf]) -> Result<(), Undone> {
        let paths: Vec<String> = files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
        if let Some(missing) = files.iter().find(|file| !file.is_file()) {
            return impossible(format!("{} is not there", missing.display()));
        }
        if self.is(handle, "fileInput").await? {
            let control = "function () { return this.control ?? this }";
            let object = self.call_on_object(&handle.session, &handle.object, control).await?;
            let params = json!({ "files": paths, "objectId": object.as_ref().unwrap_or(&handle.object) });
            return Ok(self.call(&handle.session, "DOM.setFileInputFiles", &params).await.map(drop)?);
        }
        // A button that opens the file chooser: it is taken in the browser's place.
        self.catch_file_chooser(true).await?;
        self.click(handle).await?;
        let limit = Instant::now() + Duration::from_secs(3);
        let chooser = self.browser.wait_for(limit, |state| state.file_chooser.clone()).await;
        self.catch_file_chooser(false).await?;
        let Some((session, backend)) = chooser else {
            return impossible("it is no file input and opens no file chooser");
        };
        let params = json!({ "files": paths, "backendNodeId": backend });
        Ok(self.call(&session, "DOM.setFileInputFiles", &params).await.map(drop)?)
    }
}
