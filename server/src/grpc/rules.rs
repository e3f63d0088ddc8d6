//! `RulesService`: profiles, and every option that may be set otherwise.

use mighty_protocol::v1;
use mighty_protocol::v1::rules_service_server::RulesService;
use mighty_rules::{OPTIONS, Profile, Rules, value_at};
use serde_json::Value;
use tonic::{Request, Response, Status};

use super::status::Failure;

/// The service; it needs nothing but the rule book.
#[derive(Clone, Copy, Debug)]
pub struct RulesApi;

#[tonic::async_trait]
impl RulesService for RulesApi {
    async fn list_profiles(
        &self,
        _request: Request<v1::ListProfilesRequest>,
    ) -> Result<Response<v1::ListProfilesResponse>, Status> {
        let in_short = |profile: Profile| v1::Profile {
            name: profile.name().to_owned(),
            mark: profile.mark().to_owned(),
            hash: Rules::of(profile).hash().to_owned(),
        };
        Ok(Response::new(v1::ListProfilesResponse {
            profiles: Profile::ALL.into_iter().map(in_short).collect(),
        }))
    }

    async fn describe_profile(
        &self,
        request: Request<v1::DescribeProfileRequest>,
    ) -> Result<Response<v1::DescribeProfileResponse>, Status> {
        let v1::DescribeProfileRequest { profile, overrides } = request.into_inner();
        let rules = read_rules(&profile, &overrides)?;
        let sheet: Value =
            serde_json::from_str(rules.json()).expect("the canonical form of a sheet is JSON");
        let options = OPTIONS.iter().map(|option| v1::Option {
            path: option.path.to_owned(),
            allowed: option.allowed.to_owned(),
            meaning: option.meaning.to_owned(),
            value: value_at(&sheet, option.path).map_or_else(String::new, Value::to_string),
        });
        Ok(Response::new(v1::DescribeProfileResponse {
            rules: Some((&rules).into()),
            options: options.collect(),
        }))
    }
}

/// The rules of a profile with some options set otherwise.
pub(super) fn read_rules<'a>(
    profile: &str,
    overrides: impl IntoIterator<Item = (&'a String, &'a String)>,
) -> Result<Rules, Failure> {
    let overrides = overrides.into_iter().map(|(path, value)| (path.as_str(), value.as_str()));
    Ok(Profile::named(profile).and_then(|profile| Rules::with_texts(profile, overrides))?)
}
