import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { ResourceView } from '../views.ts';
import { Detail } from './parts/detail/detail.tsx';
import { Filters } from './parts/filters.tsx';
import { PageHeader } from './parts/header.tsx';
import { ResourceList } from './parts/list.tsx';
import { Notices } from './parts/notices.tsx';
import { Rollouts } from './parts/rollouts.tsx';
import { Runs } from './parts/runs.tsx';
import { useKeys } from './state/keys.ts';
import { chosen, everything, type View } from './state/states.ts';
import { type Known, useKnown, useNow } from './state/store.ts';

export function App() {
  const known = useKnown();
  const now = useNow();
  const [view, setView] = useState<View>('resources');
  const [filter, setFilter] = useState(everything);
  const [id, setId] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const all = useMemo(() => [...known.resources.values()], [known.resources]);
  const kinds = useMemo(() => new Map(all.map((one) => [one.resource, one.kind])), [all]);
  const listed = useMemo(() => chosen(all, filter), [all, filter]);
  const selected = id === undefined ? undefined : known.resources.get(id);
  const select = (next: string, open = true): void => {
    setId(next);
    setOpen(open);
  };
  const opened = isOpen ? selected : undefined;
  // Returns the focus, which was in the details, to the list.
  useLayoutEffect(() => {
    if (id !== undefined && !isOpen) document.querySelector<HTMLElement>('.list')?.focus();
  }, [isOpen]);
  useKeys({
    move(by) {
      const at = listed.findIndex((one) => one.id === id);
      const next = listed[Math.max(0, Math.min(listed.length - 1, at + by))];
      if (view === 'resources' && next !== undefined) select(next.id, isOpen);
    },
    open: () => selected !== undefined && setOpen(true),
    close: () => setOpen(false),
  });
  return (
    <div class={`app ${opened === undefined ? '' : 'open'}`}>
      <PageHeader known={known} now={now} view={view} setView={setView} />
      <div class="top">
        <Notices known={known} now={now} />
        <Rollouts rollouts={known.read?.rollouts ?? []} readOnly={known.about?.readOnly ?? true} />
      </div>
      {view === 'runs' ? (
        <Runs timeline={known.timeline} kinds={kinds} now={now} />
      ) : (
        <main class="resources">
          <section class="left" aria-label="Resources">
            <Filters all={all} filter={filter} setFilter={setFilter} shown={listed.length} />
            <ResourceList
              known={known}
              listed={listed}
              now={now}
              selected={id}
              onSelect={select}
              isFiltered={listed.length < all.length}
              onReset={() => setFilter(everything)}
            />
          </section>
          <Chosen resource={opened} known={known} now={now} onClose={() => setOpen(false)} />
        </main>
      )}
    </div>
  );
}

interface ChosenProps {
  readonly resource: ResourceView | undefined;
  readonly known: Known;
  readonly now: number;
  readonly onClose: () => void;
}

function Chosen({ resource, known, now, onClose }: ChosenProps) {
  if (resource !== undefined)
    return (
      <Detail
        key={resource.id}
        resource={resource}
        known={known}
        now={now}
        readOnly={known.about?.readOnly ?? true}
        onClose={onClose}
      />
    );
  return (
    <section class="detail empty" aria-label="Details">
      <p>Choose a resource to see its children, differences, manifests and history.</p>
      <p class="keys">
        <kbd>j</kbd> <kbd>k</kbd> move, <kbd>Enter</kbd> opens, <kbd>Esc</kbd> closes, <kbd>/</kbd>{' '}
        searches
      </p>
    </section>
  );
}
