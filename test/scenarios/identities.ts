import { join } from 'node:path';
import type { Report } from '../../shared/resync/report.ts';
import type { Place } from './place.ts';

/** The variable with the name, which `named.config.ts` reads. */
export const nameVariable = 'NAME';

const configFile = join(import.meta.dirname, 'named.config.ts');

/** A resync function of a reconciler with another name. */
export interface Named {
  resync(): Promise<Report>;
  stop(): Promise<void>;
}

/** Starts a resync function of a reconciler with this name; by default it reconciles all kinds. */
export async function startNamed(
  { stage: { functions }, namespace }: Place,
  name: string,
  kinds = '',
): Promise<Named> {
  const env = { SETTLE_SECONDS: '0', KINDS: kinds, [nameVariable]: name };
  const { url, stop } = await functions.another('resync', env, configFile);
  return { resync: () => functions.resync({ namespace }, url), stop };
}
