import { randomUUID } from 'node:crypto';
import { chmodSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';

/**
 * Writes a file that only its owner can read, even if others could read the file before.
 *
 * Guarantees: a reader sees either the old content or the new, both complete. A failure leaves the old content. A
 * symbolic link to a file stays a link. A pipe or a device is written directly.
 */
export function writePrivateFile(file: string, content: string): void {
  const there = statSync(file, { throwIfNoEntry: false });
  if (there !== undefined && !there.isFile()) {
    writeFileSync(file, content);
    return;
  }
  const target = there === undefined ? file : realpathSync(file);
  const beside = `${target}.${randomUUID()}.tmp`;
  try {
    writeFileSync(beside, content, { mode: 0o600, flag: 'wx' });
    // Restores permissions of the owner that the umask may have removed.
    chmodSync(beside, 0o600);
    renameSync(beside, target);
  } catch (error) {
    rmSync(beside, { force: true });
    if (error instanceof Error) error.message = error.message.replaceAll(beside, target);
    throw error;
  }
}
