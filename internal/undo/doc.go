// Package undo notes what runs change in projects' files, keeps what was there
// before, shows it as a diff and takes it back (CH11).
//
// What a tool writes, edits, moves or deletes is noted path by path, before it
// happens: the first time that a run touches a path its content is kept. Around a
// command the tree is compared, so that what a shell or Python did is listed too;
// small files are kept beforehand. Limits bound both, and what is over a limit is
// listed with the reason why it cannot be taken back.
//
// What it cannot know: whose change it is when somebody else changes files while a
// command runs, and what a background process does when no command runs. A file
// that is not as the run left it is never overwritten.
//
// It must not know of HTTP, tools or the configuration.
package undo
