import type { Fault, FaultEffect } from '../api-server/faults/fault.ts';
import type { Interceptor } from '../api-server/faults/interceptors.ts';
import type { LocalCluster } from '../cluster.ts';
import type { Random } from './random.ts';

export interface RandomFaultsOptions {
  readonly cluster: Pick<LocalCluster, 'faults' | 'intercept'>;
  readonly random: Random;
  /** Whose requests go wrong. */
  readonly user: string;
  /** How many of them do, from 0 to 1. */
  readonly rate: number;
  readonly log: (text: string) => void;
}

const effects: readonly FaultEffect[] = [
  { kind: 'status', code: 429, retryAfter: 1 },
  { kind: 'status', code: 500 },
  { kind: 'status', code: 503 },
  { kind: 'drop', when: 'before' },
  { kind: 'drop', when: 'after' },
  { kind: 'delay', ms: 200 },
  { kind: 'delay', ms: 1_500 },
];

/** Lets some of a user's requests fail, each in one of the ways in which they do; ends it again. */
export function startRandomFaults(options: RandomFaultsOptions): () => void {
  const { cluster, random, user, rate, log } = options;
  const spoil: Interceptor = (request) => {
    if (request.user !== user || !random.chance(rate)) return;
    const { verb, group, resource, subresource, namespace, name } = request;
    const effect = random.pick(effects);
    const about = { verb, group, resource, subresource, namespace, name, user } as Omit<
      Fault,
      'effect'
    >;
    const takeBack = cluster.faults.add({ ...about, nth: 1, effect });
    // The request meets it in this very turn: no other one may find it later.
    setImmediate(takeBack);
    log(`${describe(effect)}: ${verb} ${nameOf(request)}`);
  };
  return cluster.intercept(spoil);
}

type Request = Parameters<Interceptor>[0];

function nameOf({ resource, subresource, namespace, name }: Request): string {
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const which = [namespace, name].filter((part) => part !== '').join('/');
  return which === '' ? what : `${what} ${which}`;
}

function describe(effect: FaultEffect): string {
  switch (effect.kind) {
    case 'status':
      return `answered ${effect.code}`;
    case 'drop':
      return effect.when === 'before' ? 'connection dropped' : 'answer dropped, request done';
    case 'delay':
      return `${effect.ms} ms late`;
  }
}
