import { join } from 'node:path';
import type { Report } from '../../shared/resync/report.ts';
import type { Place } from './place.ts';

/** The variable that `named.config.ts` reads: the name, then the former names. */
export const namesVariable = 'NAMES';

const configFile = join(import.meta.dirname, 'named.config.ts');

/** A resync function of a reconciler with another name. */
export interface Named {
  resync(): Promise<Report>;
  stop(): Promise<void>;
}

/** Starts a resync function with these names; by default it reconciles all kinds. */
export async function startNamed(
  { stage: { functions }, namespace }: Place,
  names: readonly string[],
  kinds = '',
): Promise<Named> {
  const env = { SETTLE_SECONDS: '0', KINDS: kinds, [namesVariable]: names.join(',') };
  const { url, stop } = await functions.another('resync', env, configFile);
  return { resync: () => functions.resync({ namespace }, url), stop };
}
