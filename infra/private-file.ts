import { randomUUID } from 'node:crypto';
import { chmodSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';

/**
 * Writes a file that only its owner can read, even if the file it replaces was more open.
 *
 * Guarantees: a reader sees the old file or the new one, never a part; a failure leaves the old file intact.
 * A symbolic link stays a link; a pipe or a device is written to directly.
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
    // The umask may remove even the owner's permissions.
    chmodSync(beside, 0o600);
    renameSync(beside, target);
  } catch (error) {
    rmSync(beside, { force: true });
    if (error instanceof Error) error.message = error.message.replaceAll(beside, target);
    throw error;
  }
}
