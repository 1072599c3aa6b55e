# The other end of session.go. Descriptors: 3 commands, each ended by NUL;
# 4 messages, as fields ended by NUL: D status directory, or X status directory state.
unset HISTFILE
set -o history
shopt -s expand_aliases

# A command may exit. What it leaves behind goes to the session's next shell.
trap '
	__nanoclaw_status=$?
	trap - EXIT DEBUG ERR
	set +exuv
	{
		builtin printf "X\0%d\0%s\0" "$__nanoclaw_status" "$PWD"
		builtin declare -p
		builtin declare -f
		builtin alias -p
		builtin shopt -p
		builtin printf "\0"
	} >&4 2>/dev/null
' EXIT

while IFS= builtin read -r -d '' __nanoclaw_command <&3; do
	builtin history -s -- "$__nanoclaw_command"
	builtin eval -- "$__nanoclaw_command" 3<&- 4>&- </dev/null
	builtin printf 'D\0%d\0%s\0' "$?" "$PWD" >&4
done
trap - EXIT
