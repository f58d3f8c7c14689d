import { commandName, quietCommand } from '../../package-root.ts';

/** The examples at the end of a command's help. */
export const example = (...lines: readonly string[]): string =>
  `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map((words) => `  ${commandFor(words)}\n`).join('')}`;

/** Adds -s if the output is JSON, because npm run prints a heading before it otherwise. */
const commandFor = (words: string): string =>
  `${words.includes('-o json') ? quietCommand : commandName} ${words}`;

/** Quotes a word for a shell. */
export const shellQuote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
