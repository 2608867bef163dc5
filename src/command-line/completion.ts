// `completion`: scripts that complete commands, options and choices in bash, zsh and fish, made from the commands themselves.
import { Argument, type Command, type Option } from 'commander';

/** A command that can be completed: the words before it, and what may follow. */
interface Level {
  /** `key create`; empty for the program itself. */
  path: string;
  commands: { name: string; description: string }[];
  options: { flag: string; description: string; takesValue: boolean; choices: readonly string[] }[];
  choices: readonly string[];
}

const optionOf = (option: Option) => ({
  flag: option.long ?? option.short ?? '',
  description: option.description,
  takesValue: option.required || option.optional,
  choices: option.argChoices ?? [],
});

function levelsOf(command: Command, path: string[] = []): Level[] {
  const common = [...command.options, ...(command.parent?.options ?? [])].filter(
    (option) => path.length === 0 || option.long !== '--version',
  );
  const level: Level = {
    path: path.join(' '),
    commands: command.commands.map((sub) => ({ name: sub.name(), description: sub.description() })),
    options: [
      ...[...new Map(common.map((option) => [option.long, option])).values()].map(optionOf),
      { flag: '--help', description: 'print this help', takesValue: false, choices: [] },
    ],
    choices: command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
  };
  return [level, ...command.commands.flatMap((sub) => levelsOf(sub, [...path, sub.name()]))];
}

const wordsOf = ({ commands, choices, options }: Level) =>
  [...commands.map(({ name }) => name), ...choices, ...options.map(({ flag }) => flag)].join(' ');

/** Completes file names where a value or an argument is expected, and words of the level otherwise. */
function bash(levels: readonly Level[], names: string): string {
  const cases = levels.map((level) => `    '${level.path}') words='${wordsOf(level)}' ;;`);
  const values = levels
    .flatMap(({ options }) => options)
    .filter(({ choices }) => choices.length > 0)
    .map(({ flag, choices }) => `    ${flag}) words='${choices.join(' ')}' ;;`);
  const paths = levels.map(({ path }) => `'${path}'`).join('|');
  return `# bash completion of gateway: eval "$(gateway completion bash)"
_gateway() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
    ${paths}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$previous" in
${[...new Set(values)].join('\n')}
  esac
  if [ -z "$words" ]; then
    case "$path" in
${cases.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _gateway ${names}
`;
}

const zshText = (text: string) => text.replaceAll(/['\\]/g, '').replaceAll(/[[\]:]/g, '\\$&');

function zsh(levels: readonly Level[], names: string): string {
  const cases = levels.map((level) => {
    const entries = [
      ...level.commands.map(({ name, description }) => `'${name}:${zshText(description)}'`),
      ...level.choices.map((choice) => `'${choice}'`),
      ...level.options.map(({ flag, description }) => `'${flag}:${zshText(description)}'`),
    ];
    return `    '${level.path}') choices=(${entries.join(' ')}) ;;`;
  });
  const paths = levels.map(({ path }) => `'${path}'`).join('|');
  return `#compdef ${names}
# zsh completion of gateway: eval "$(gateway completion zsh)", after compinit
_gateway() {
  local at='' word
  local -a choices
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${at:+$at }$word" in
    ${paths}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${cases.join('\n')}
  esac
  _describe 'gateway' choices || _files
}
compdef _gateway ${names}
`;
}

const fishText = (text: string) => text.replaceAll(/['\\]/g, '\\$&');

function fish(levels: readonly Level[], names: string): string {
  const lines = levels.flatMap((level) => {
    const condition = `__gateway_at '${level.path}'`;
    return [
      ...level.commands.map(
        ({ name, description }) => `-n "${condition}" -f -a ${name} -d '${fishText(description)}'`,
      ),
      ...level.choices.map((choice) => `-n "${condition}" -f -a ${choice}`),
      ...level.options.map(
        ({ flag, description, takesValue, choices }) =>
          `-n "${condition}" -l ${flag.slice(2)}${takesValue ? ' -r' : ''}${choices.length > 0 ? ` -f -a '${choices.join(' ')}'` : ''} -d '${fishText(description)}'`,
      ),
    ];
  });
  const paths = levels.map(({ path }) => `'${path}'`).join(' ');
  return `# fish completion of gateway: gateway completion fish | source
function __gateway_at
  set -l at ''
  for word in (commandline -opc)[2..]
    set -l next (string trim "$at $word")
    contains -- "$next" ${paths}; and set at "$next"
  end
  test "$at" = "$argv[1]"
end
${names
  .split(' ')
  .flatMap((name) => lines.map((line) => `complete -c ${name} ${line}`))
  .join('\n')}
`;
}

const shells = { bash, zsh, fish };

/** The completion script of a shell for all commands of `program`. */
export function completionScript(program: Command, shell: keyof typeof shells): string {
  return shells[shell](levelsOf(program), 'gateway chatbot-gateway');
}

/** Adds the command. */
export function addCompletion(program: Command): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(shells)))
    .description('print a script that completes commands in a shell')
    .action((shell: keyof typeof shells) => {
      process.stdout.write(completionScript(program, shell));
    });
}
