/** Each asks the command itself what fits, and completes file names where nothing does. */
export const completionScripts = {
  bash: `_reconciler() {
  local value
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    COMPREPLY+=("$value")
  done < <("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _reconciler reconciler serverless-reconciler
`,
  zsh: `#compdef reconciler serverless-reconciler
_reconciler() {
  local value description
  local -a found
  while IFS=$'\\t' read -r value description; do
    found+=("\${value//:/\\\\:}:$description")
  done < <("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( $#found )); then _describe 'reconciler' found; else _files; fi
}
compdef _reconciler reconciler serverless-reconciler
`,
  fish: `function __reconciler_complete
  set -l words (commandline -opc) (commandline -ct)
  $words[1] complete -- $words[2..-1] 2>/dev/null
end
complete -c reconciler -c serverless-reconciler -f -a '(__reconciler_complete)'
complete -c reconciler -c serverless-reconciler -n 'test -z "$(__reconciler_complete)"' -F
`,
} as const;
