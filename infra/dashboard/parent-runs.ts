import { present } from '../../shared/json.ts';
import type { RunMessage, RunTimeline } from './views.ts';

const maxRuns = 200;

/** Collects the runs that the parent process sends. Returns undefined if no process has forked this process. */
export function runsOfParent() {
  if (process.send === undefined) return undefined;
  let known: RunTimeline = { source: 'processes', runs: [] };
  let onRun = (): void => undefined;
  process.on('message', ({ runs, nextResync }: RunMessage) => {
    known = {
      source: 'processes',
      runs: [...runs, ...known.runs].slice(0, maxRuns),
      ...present({ nextResync }),
    };
    onRun();
  });
  return {
    timeline: () => known,
    onRun: (act: () => void) => {
      onRun = act;
    },
  };
}
