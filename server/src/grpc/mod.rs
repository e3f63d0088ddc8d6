//! The gRPC face: services, and the layers around them as one list.

pub(crate) mod auth;
pub mod ladder;
pub mod record;
pub mod rules;
pub mod session;
pub(crate) mod status;
pub mod stored;
pub mod table;
pub(crate) mod update;

use std::any::Any;
use std::convert::Infallible;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, Uri, request};
use axum::response::{IntoResponse, Response};
use axum::routing::future::RouteFuture;
use axum::routing::get;
use mighty_protocol::DESCRIPTORS;
use mighty_protocol::v1::ladder_service_server::LadderServiceServer;
use mighty_protocol::v1::record_service_server::RecordServiceServer;
use mighty_protocol::v1::rules_service_server::RulesServiceServer;
use mighty_protocol::v1::table_service_server::{SERVICE_NAME, TableServiceServer};
use tokio::time::timeout;
use tonic::service::Routes;
use tonic::{Code, Status};
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;
use tonic_web::GrpcWebLayer;
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{AllowOrigin, Any as AnyHeader, CorsLayer};
use tower_http::trace::{DefaultOnFailure, TraceLayer};
use tracing::Level;

use self::ladder::LadderApi;
use self::record::RecordApi;
use self::rules::RulesApi;
use self::table::TableApi;

/// What the server offers.
pub struct Services {
    /// Tables.
    pub tables: TableApi,
    /// The ladder.
    pub ladder: LadderApi,
    /// Records.
    pub records: RecordApi,
    /// How large a message may be that comes in, in bytes.
    pub message_bytes: usize,
    /// How long a call may take until its answer or its stream begins.
    pub call_time: Duration,
}

/// What the page at `/` says until there is a real one.
const PAGE: &str = "\
This is a server for Mighty, a five-player trick game that programs play over gRPC (mighty.v1).

Watch the tables with:  mighty watch
Ask what there is with: grpcurl -plaintext ADDRESS list   (reflection is on)
";

/// All routes of the server, with a switch for its health.
///
/// # Errors
/// The descriptors of the wire cannot be read, which is a fault of the build.
pub async fn routes(
    services: Services,
) -> Result<(Router, HealthReporter), tonic_reflection::server::Error> {
    let Services { tables, ladder, records, message_bytes, call_time } = services;
    let (health, health_service) = tonic_health::server::health_reporter();
    set_health(&health, ServingStatus::Serving).await;
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let grpc = Routes::new(health_service)
        .add_service(reflection().build_v1()?)
        .add_service(reflection().build_v1alpha()?)
        .add_service(TableServiceServer::new(tables).max_decoding_message_size(message_bytes))
        .add_service(RulesServiceServer::new(RulesApi).max_decoding_message_size(message_bytes))
        .add_service(LadderServiceServer::new(ladder).max_decoding_message_size(message_bytes))
        .add_service(RecordServiceServer::new(records).max_decoding_message_size(message_bytes));
    // In the order they act. Who somebody is stands in its hello, so it is asked there. gRPC-Web would answer plain
    // requests with an error, so these layers are around the gRPC routes alone.
    let layers = ServiceBuilder::new()
        .layer(TraceLayer::new_for_grpc().on_failure(DefaultOnFailure::new().level(Level::DEBUG)))
        .layer(cors())
        .layer(GrpcWebLayer::new())
        .layer(CatchPanicLayer::custom(panicked))
        .map_future(move |call| in_time(call, call_time));
    let router =
        grpc.into_axum_router().layer(layers).route("/", get(|| async { PAGE })).fallback(unknown);
    Ok((router, health))
}

/// Tells how the server is, as a whole and as the service that bots ask about.
pub async fn set_health(health: &HealthReporter, status: ServingStatus) {
    for service in ["", SERVICE_NAME] {
        health.set_service_status(service, status).await;
    }
}

/// Pages of this machine may call; those of others may not, since there are no tokens yet.
fn cors() -> CorsLayer {
    let exposed = ["grpc-status", "grpc-message", "grpc-status-details-bin"];
    CorsLayer::new()
        .allow_origin(AllowOrigin::predicate(|origin, _: &request::Parts| is_local(origin)))
        .allow_methods([Method::POST])
        .allow_headers(AnyHeader)
        .expose_headers(exposed.map(HeaderName::from_static))
}

fn is_local(origin: &HeaderValue) -> bool {
    let origin = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
    origin.is_some_and(|origin| matches!(origin.host(), Some("localhost" | "127.0.0.1" | "[::1]")))
}

/// A call whose answer takes too long is ended. That of a stream is there once the stream begins, so none is cut.
async fn in_time(call: RouteFuture<Infallible>, limit: Duration) -> Result<Response, Infallible> {
    match timeout(limit, call).await {
        Ok(answer) => answer,
        Err(_) => Ok(status::no_answer(limit).into_http()),
    }
}

/// A panic in a handler is a fault of the server, and ends that call alone.
fn panicked(_: Box<dyn Any + Send>) -> axum::http::Response<tonic::body::Body> {
    tracing::error!("a handler broke");
    status::broken().into_http()
}

/// gRPC callers are told what they asked for in their own way.
async fn unknown(request: Request) -> Response {
    let is_grpc = request
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.to_str().is_ok_and(|kind| kind.starts_with("application/grpc")));
    if is_grpc {
        let text = format!(
            "there is no call {}; ask reflection for those that there are",
            request.uri().path()
        );
        let status: Status = status::failure(Code::Unimplemented, "NO_SUCH_CALL", text);
        return status.into_http::<axum::body::Body>();
    }
    (StatusCode::NOT_FOUND, "there is no such page; look at /\n").into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_this_machine_may_call() {
        for (origin, may) in [
            ("http://localhost:5173", true),
            ("http://127.0.0.1:7435", true),
            ("http://[::1]:7435", true),
            ("https://example.org", false),
            ("http://localhost.example.org", false),
            ("null", false),
        ] {
            assert_eq!(is_local(&HeaderValue::from_static(origin)), may, "{origin}");
        }
    }
}
