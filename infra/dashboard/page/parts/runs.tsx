import type { RunTimeline, RunView } from '../../views.ts';
import { folded, type Shown } from '../state/folded-runs.ts';
import { ageOf } from '../state/states.ts';

interface Props {
  readonly timeline: RunTimeline | undefined;
  /** Kinds by their type: `Website` for `websites.kubecon.my.domain`. */
  readonly kinds: ReadonlyMap<string, string>;
  readonly now: number;
}

export function Runs({ timeline, kinds, now }: Props) {
  if (timeline === undefined) return <main class="runs">Reading…</main>;
  const { source, runs, nextResync, failure } = timeline;
  const due =
    nextResync === undefined ? undefined : Math.max(0, Math.round((nextResync - now) / 1000));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <main class="runs" tabIndex={0}>
      <p class="quiet">
        {source === 'processes'
          ? `Every run of the functions${due === undefined ? '' : `; the next resync is due in ${due} s`}.`
          : 'The functions run elsewhere, so this list shows the Events that their runs posted. Runs that changed nothing are missing, and the time of the next resync is unknown.'}
      </p>
      {failure === undefined ? null : (
        <p class="notice warn">The Events cannot be read: {failure}</p>
      )}
      {runs.length === 0 && failure === undefined ? <p class="none">No runs yet.</p> : null}
      <ol>
        {folded(runs).map((run) => (
          <Run key={keyOf(run)} run={run} kinds={kinds} now={now} />
        ))}
      </ol>
    </main>
  );
}

const keyOf = ({ at, trigger, changes: [first] }: RunView): string =>
  [at, trigger, first?.of, first?.text].join(' ');

const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

const again = ({ changes, blocked, error, more }: Shown): string =>
  changes.length === 0 && blocked === undefined && error === undefined
    ? `nothing to do, as in the previous ${more} runs`
    : `the same as in the previous ${more} runs`;

function Run({ run, kinds, now }: Omit<Props, 'timeline'> & { readonly run: Shown }) {
  const { at, trigger, durationMs, requests, writes, resources, changes, blocked, error, more } =
    run;
  const facts = [
    durationMs === undefined ? [] : `${durationMs} ms`,
    requests === undefined ? [] : counted(requests, 'request'),
    writes === undefined ? [] : counted(writes, 'write'),
    resources === undefined
      ? []
      : `${resources.reconciled} of ${counted(resources.total, 'resource')}`,
    blocked === undefined ? [] : `${blocked} blocked`,
    more === 0 ? [] : again(run),
  ].flat();
  return (
    <li class={error === undefined ? (changes.length > 0 ? 'changed' : '') : 'failed'}>
      <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
        {ageOf(at, now)}
      </time>
      <b class="trigger">{trigger}</b>
      {facts.length === 0 ? null : <span class="quiet">{facts.join(' · ')}</span>}
      {error === undefined ? null : <p class="notice bad">{error}</p>}
      {[...Map.groupBy(changes, ({ of }) => of)].map(([of, own]) => (
        <Changed key={of} of={of} kinds={kinds} changes={own} />
      ))}
    </li>
  );
}

interface ChangedProps extends Pick<Props, 'kinds'>, Pick<RunView, 'changes'> {
  readonly of: string;
}

/** Shows the kind of the resource although `of` has only its type, as in `websites.kubecon.my.domain default/shop`. */
function Changed({ of, kinds, changes }: ChangedProps) {
  const [type = '', name] = of.split(' ');
  return (
    <div class="changes">
      <b>{name}</b> <span class="kind">{kinds.get(type) ?? type.split('.', 1)}</span>
      <ul>
        {changes.map(({ text }) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  );
}
