//! Bots and spectators against a server that plays a script.

mod script;
mod session;
mod spectator;
