import { join } from 'node:path';
import type { Report } from '../../shared/resync/report.ts';
import type { Place } from './place.ts';

/** The variable of `named.config.ts`: the name, then the former ones. */
export const namesVariable = 'NAMES';

const configFile = join(import.meta.dirname, 'named.config.ts');

/** A resync function under another name. */
export interface Named {
  resync(): Promise<Report>;
  stop(): Promise<void>;
}

/** Starts one; `kinds` are those that it reconciles, by default all. */
export async function startNamed(
  { stage: { functions }, namespace }: Place,
  names: readonly string[],
  kinds = '',
): Promise<Named> {
  const env = { SETTLE_SECONDS: '0', KINDS: kinds, [namesVariable]: names.join(',') };
  const { url, stop } = await functions.another('resync', env, configFile);
  return { resync: () => functions.resync({ namespace }, url), stop };
}
