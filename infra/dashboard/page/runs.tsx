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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <main class="runs" tabIndex={0}>
      <p class="quiet">
        {source === 'processes'
          ? `Every run of the functions${due === undefined ? '' : `; the next tick is due in ${due} s`}.`
          : 'The functions run elsewhere: this is what they posted as Events. Runs that changed nothing leave none, and when the next tick is due the cluster does not show.'}
      </p>
      {runs.length === 0 ? <p class="none">None yet.</p> : null}
      <ol>
        {folded(runs).map((run) => (
          <Run key={keyOf(run)} run={run} now={now} />
        ))}
      </ol>
    </main>
  );
}

type Shown = RunView & {
  /** How many runs before it, of the same trigger, also found nothing to do. */
  readonly more: number;
};

const keyOf = ({ at, trigger, changes: [first] }: RunView): string =>
  [at, trigger, first?.of, first?.text].join(' ');

const isQuiet = ({ changes, error, writes = 0 }: RunView): boolean =>
  changes.length === 0 && error === undefined && writes === 0;

/** Runs in a row that found nothing to do are one. */
function folded(runs: readonly RunView[]): readonly Shown[] {
  const shown: Shown[] = [];
  for (const run of runs) {
    const last = shown.at(-1);
    const isSame =
      last !== undefined && last.trigger === run.trigger && isQuiet(last) && isQuiet(run);
    if (isSame) shown[shown.length - 1] = { ...last, more: last.more + 1 };
    else shown.push({ ...run, more: 0 });
  }
  return shown;
}

function Run({ run, now }: { readonly run: Shown; readonly now: number }) {
  const { at, trigger, durationMs, requests, writes, resources, changes, error, more } = run;
  const facts = [
    durationMs === undefined ? [] : `${durationMs} ms`,
    requests === undefined ? [] : `${requests} requests`,
    writes === undefined ? [] : `${writes} writes`,
    resources === undefined ? [] : `${resources.reconciled} of ${resources.total} resources`,
    more === 0 ? [] : `nothing to do, nor in the ${more} before`,
  ].flat();
  return (
    <li class={error === undefined ? (changes.length > 0 ? 'changed' : '') : 'failed'}>
      <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
        {ageOf(at, now)}
      </time>
      <b class="trigger">{trigger}</b>
      <span class="quiet">{facts.join(' · ')}</span>
      {error === undefined ? null : <p class="notice bad">{error}</p>}
      {[...Map.groupBy(changes, ({ of }) => of)].map(([of, own]) => (
        <Changed key={of} of={of} changes={own} />
      ))}
    </li>
  );
}

/** `websites.kubecon.my.domain default/shop` and `Website default/shop` are shown alike. */
function Changed({ of, changes }: { readonly of: string; readonly changes: RunView['changes'] }) {
  const [type = '', name] = of.split(' ');
  return (
    <div class="changes">
      <b>{name}</b> <span class="kind">{type.split('.', 1)}</span>
      <ul>
        {changes.map(({ text }) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  );
}
