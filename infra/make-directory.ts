import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates the directory and its parents. Returns the first that it created; undefined if the path exists. In /proc,
 * mkdir with `recursive` never returns.
 */
export function makeDirectory(path: string): string | undefined {
  if (existsSync(path)) return undefined;
  const above = makeDirectory(dirname(path));
  mkdirSync(path);
  return above ?? path;
}
