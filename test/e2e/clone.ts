import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../infra/package-root.ts';
import { run } from './project.ts';

/** Clones the repository with uncommitted changes and dependencies; resolves with the directory. */
export async function cloneRepository(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'clone-'));
  const files = await run(packageRoot, 'git', 'ls-files', '-z', '-co', '--exclude-standard');
  for (const file of files.split('\0').filter((one) => one !== ''))
    if (existsSync(join(packageRoot, file))) await cp(join(packageRoot, file), join(copy, file));
  await linkDependencies(copy);
  await run(copy, 'git', 'init', '--quiet');
  await run(copy, 'git', 'add', '--all');
  const author = ['-c', 'user.name=reader', '-c', 'user.email=reader@example.org'];
  await run(copy, 'git', ...author, 'commit', '--quiet', '--message', 'As cloned');
  return copy;
}

/** Links the dependencies as `npm ci` would install them, with the clone's own local cluster. */
async function linkDependencies(copy: string): Promise<void> {
  const [from, to] = [join(packageRoot, 'node_modules'), join(copy, 'node_modules')];
  await mkdir(to);
  const own = '@serverless-reconciler';
  for (const name of await readdir(from))
    if (name !== own && (name === '.bin' || !name.startsWith('.')))
      await symlink(join(from, name), join(to, name));
  await mkdir(join(to, own));
  await symlink(join('..', '..', 'infra', 'local'), join(to, own, 'local-cluster'));
}
