//! What the stories share: a server in process, scripted players.
