import type { RunView, Timeline } from '../views.ts';
import { ageOf } from './states.ts';

interface Props {
  readonly timeline: Timeline | undefined;
  readonly now: number;
}

/** The newest run first; ticks that found nothing to do are one line. */
export function Runs({ timeline, now }: Props) {
  if (timeline === undefined) return <main class="runs">Reading…</main>;
  const { source, runs, nextTick } = timeline;
  const due = nextTick === undefined ? undefined : Math.max(0, Math.round((nextTick - now) / 1000));
  return (
    <main class="runs">
      <p class="quiet">
        {source === 'processes'
          ? `Every run of the functions${due === undefined ? '' : `; the next tick is due in ${due} s`}.`
          : 'The functions run elsewhere: this is what they posted as Events. Runs that changed nothing leave none, and when the next tick is due the cluster does not show.'}
      </p>
      {runs.length === 0 ? <p class="none">None yet.</p> : null}
      <ol>
        {runs.map((run) => (
          <Run
            key={`${run.at} ${run.trigger} ${run.changes[0]?.of} ${run.changes[0]?.text}`}
            run={run}
            now={now}
          />
        ))}
      </ol>
    </main>
  );
}

function Run({ run, now }: { readonly run: RunView; readonly now: number }) {
  const { at, trigger, durationMs, requests, writes, resources, changes, error } = run;
  const facts = [
    durationMs === undefined ? [] : `${durationMs} ms`,
    requests === undefined ? [] : `${requests} requests`,
    writes === undefined ? [] : `${writes} writes`,
    resources === undefined ? [] : `${resources.reconciled} of ${resources.total} resources`,
  ].flat();
  return (
    <li class={error === undefined ? (changes.length > 0 ? 'changed' : '') : 'failed'}>
      <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
        {ageOf(at, now)}
      </time>
      <b class="trigger">{trigger}</b>
      <span class="quiet">{facts.join(' · ')}</span>
      {error === undefined ? null : <p class="notice bad">{error}</p>}
      {changes.length === 0 ? null : (
        <ul>
          {changes.map(({ of, text }) => (
            <li key={`${of} ${text}`}>
              <b>{of}</b> {text}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
