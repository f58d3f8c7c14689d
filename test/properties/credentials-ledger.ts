import { statefulSet } from '../../shared/kinds/child-types/apps.ts';
import { persistentVolumeClaim, secret } from '../../shared/kinds/child-types/core.ts';
import type { Around } from '../reconcile/calls.ts';
import type { Api } from '../scenarios/api.ts';
import { claimName, passwordOf, secretName } from '../scenarios/databases.ts';

/**
 * Follows the password of one Database through all actions, and reports violations.
 *
 * Flow: after every call, the objects are compared with those before it.
 * Guarantees: reports each password that a run changed, removed, generated although something relied on another
 * one, or generated without reading the Secret and its users first.
 */
export interface Ledger {
  /** Wraps the calls of one run. */
  run(): Around;
  /** Wraps the calls of all other writers. */
  others: Around;
  readonly faults: readonly string[];
  /** Every password that was ever in the Secret, in base64. */
  readonly passwords: ReadonlySet<string>;
  /** Lists the passwords that runs made, in their order. */
  readonly made: readonly string[];
  /** Lists passwords made while another run's Secret was created and deleted, which no run can detect. */
  readonly excused: readonly string[];
}

interface Sight {
  /** Undefined if there is no Secret, empty if the Secret has no password. */
  readonly password: string | undefined;
  /** Lists the existing StatefulSet and claim, of any owner, that were initialized with a password. */
  readonly relied: readonly string[];
}

/** The objects that one run has read and found absent since it last read the Secret. */
type Absent = Set<string>;

const holders = [statefulSet.kind, persistentVolumeClaim.kind];

const shortest = 24;

export function openLedger(api: Api): Ledger {
  const faults: string[] = [];
  const passwords = new Set<string>();
  const made: string[] = [];
  const excused: string[] = [];
  let before: Sight = { password: undefined, relied: [] };

  const look = async (): Promise<Sight> => {
    const [live, set, claim] = await Promise.all([
      api.find(secret, secretName),
      api.find(statefulSet, 'shop'),
      api.find(persistentVolumeClaim, claimName),
    ]);
    const password = live && passwordOf(live);
    if (password) passwords.add(password);
    return { password, relied: holders.filter((_, at) => [set, claim][at] !== undefined) };
  };

  function compare(what: string, absent: Absent, now: Sight): void {
    const { password, relied } = before;
    if (password !== undefined && now.password === undefined) faults.push(`${what}: Secret gone`);
    if (password && now.password !== password) faults.push(`${what}: password changed`);
    if (password || !now.password) return;
    made.push(now.password);
    const length = Buffer.from(now.password, 'base64').toString().length;
    if (length < shortest) faults.push(`${what}: a password of ${length} characters`);
    const unread = holders.filter((kind) => !absent.has(kind));
    if (unread.length > 0) faults.push(`${what}: made although ${unread} had not been looked for`);
    else if (relied.length > 0) excused.push(what);
  }

  function read(what: string, absent: Absent): void {
    if (what === 'list secrets' || what.startsWith('get Secret ')) absent.clear();
    for (const kind of holders) {
      if (what.startsWith(`get ${kind} `) && !before.relied.includes(kind)) absent.add(kind);
    }
  }

  return {
    faults,
    passwords,
    made,
    excused,
    run() {
      const absent: Absent = new Set();
      return async (what, call) => {
        before = await look();
        try {
          return await call();
        } finally {
          read(what, absent);
          compare(what, absent, await look());
        }
      };
    },
    async others(_, call) {
      const response = await call();
      before = await look();
      return response;
    },
  };
}
