//! `--certificate FILE`: what an answer has proven, for others to check.

use super::output::Destination;
use super::{CommandError, complain, note};
use crate::certificate::{Certificate, Lacking};
use crate::report::write_json;
use clap::Args;
use std::path::PathBuf;

/// The exit code where something that is proven has no certificate.
const UNCERTIFIED: u8 = 3;

/// Where a certificate goes.
#[derive(Args, Clone, Debug, Default)]
pub struct CertificateArgs {
    /// Write what is proven with independently checkable evidence: python3 tools/certify.py FILE
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
}

impl CertificateArgs {
    /// Writes the certificate where one is wanted. The exit code, `done` where all that is proven is in it.
    pub fn write(
        &self,
        done: u8,
        make: impl FnOnce() -> Result<Certificate, Lacking>,
    ) -> Result<u8, CommandError> {
        let Some(path) = &self.certificate else {
            return Ok(done);
        };
        let destination = Destination::open(path)?;
        let certificate = match make() {
            Ok(certificate) => certificate,
            Err(why) => {
                complain(&format!("no certificate is written: {why}"));
                return Ok(UNCERTIFIED);
            }
        };
        destination.write(Box::new(|out| write_json(out, &certificate)))?;
        for lacking in &certificate.lacking {
            complain(&format!("not in the certificate: {lacking}"));
        }
        let shown = crate::system::shown(path);
        note(&format!("verify it: python3 tools/certify.py {shown}"));
        Ok(if certificate.lacking.is_empty() {
            done
        } else {
            UNCERTIFIED
        })
    }
}
