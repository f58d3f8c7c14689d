import { present } from '../../../shared/json.ts';
import type { RunChange, RunView } from '../../dashboard/views.ts';
import { readLogLine } from '../../log-line.ts';
import { lineOf } from './narrator.ts';

/** Converts the functions' log, one JSON object per line, to runs with their changes. */
export interface RunLog {
  readonly accept: (line: string) => void;
}

interface Line {
  readonly message?: string;
  readonly key?: string;
  readonly child?: string;
  readonly trigger?: RunView['trigger'];
  readonly reconcileRequests?: readonly CoveredPart[];
  readonly resources?: RunView['resources'];
  readonly outcomes?: Readonly<Record<'created' | 'updated' | 'deleted' | 'blocked', number>>;
  readonly statusWrites?: number;
  readonly requests?: number;
  readonly durationMs?: number;
  readonly failures?: number;
}

interface CoveredPart {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** The maximum number of changes to keep. Killed runs log no summary, so their changes would pile up. */
const maxPending = 500;

/**
 * Calls `onRun` at the end of each run.
 *
 * Flow: keeps each change until a run logs a summary whose `reconcileRequests` select the resource.
 * Caveats: if two runs for the same resources overlap, the run that ends first is shown with the changes of both.
 */
export function createRunLog(onRun: (run: RunView) => void, now: () => number): RunLog {
  let pending: readonly RunChange[] = [];
  return {
    accept(text) {
      const line = readLogLine(text) as Line | undefined;
      if (line?.message === 'resynced') {
        const { reconcileRequests = [] } = line;
        const [own, others] = split(pending, ({ of }) =>
          reconcileRequests.some((one) => covers(one, of)),
        );
        pending = others;
        onRun(runOf(line, own, now()));
      } else if (line?.child !== undefined && line.key !== undefined) {
        const change = lineOf(text).replace(` for ${line.key}`, '');
        pending = [...pending, { of: line.key, text: change }].slice(-maxPending);
      }
    },
  };
}

function runOf(line: Line, changes: readonly RunChange[], now: number): RunView {
  const { trigger = 'resync', durationMs = 0, resources, requests, outcomes, failures = 0 } = line;
  const { created = 0, updated = 0, deleted = 0, blocked = 0 } = outcomes ?? {};
  const failed = failures - blocked;
  return {
    at: now - durationMs,
    trigger,
    durationMs,
    changes,
    ...present({ requests }),
    writes: created + updated + deleted + (line.statusWrites ?? 0),
    ...present({ resources }),
    ...present({
      blocked: blocked > 0 ? blocked : undefined,
      error: failed > 0 ? `${failed} failed: see the state of each resource` : undefined,
    }),
  };
}

/**
 * Reports whether a request selects a resource, such as `foos.example.com default/shop` or `teams.example.com shop`.
 * Caveats: if the request names its kind in another form, such as `Foo`, resources of every kind count as selected.
 */
function covers({ kind, namespace, name }: CoveredPart, key: string): boolean {
  const [type = '', path = ''] = key.split(' ');
  const [own = '', where] = path.split('/').toReversed();
  return (
    (!kind?.includes('.') || kind.toLowerCase() === type) &&
    (namespace === undefined || namespace === where) &&
    (name === undefined || name === own)
  );
}

function split<T>(
  all: readonly T[],
  is: (one: T) => boolean,
): readonly [readonly T[], readonly T[]] {
  return [all.filter(is), all.filter((one) => !is(one))];
}
