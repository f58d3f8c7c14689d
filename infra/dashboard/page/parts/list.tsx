import { useEffect, useRef, useState } from 'preact/hooks';
import type { ResourceView } from '../../views.ts';
import { qualifiedNameOf } from '../state/states.ts';
import type { Known } from '../state/store.ts';
import { Badge } from './badge.tsx';

interface Props {
  readonly known: Known;
  readonly listed: readonly ResourceView[];
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
  readonly isFiltered: boolean;
  readonly onReset: () => void;
  readonly now: number;
}

/** Row height in pixels, as in the style sheet. */
const rowHeight = 52;
const around = 8;

export const ResourceList = (props: Props) =>
  props.listed.length === 0 ? <Nothing {...props} /> : <Rows {...props} />;

/** Renders only the rows in view, so that a list of thousands scrolls smoothly. */
function Rows({ known, listed, selected, onSelect }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(800);
  const at = listed.findIndex(({ id }) => id === selected);
  useEffect(() => {
    const observer = new ResizeObserver(() => setHeight(box.current?.clientHeight ?? 0));
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const list = box.current;
    if (list === null || at < 0) return;
    const [first, last] = [at * rowHeight, (at + 1) * rowHeight];
    if (first < list.scrollTop) list.scrollTop = first;
    else if (last > list.scrollTop + list.clientHeight) list.scrollTop = last - list.clientHeight;
  }, [selected]);
  const first = Math.max(0, Math.floor(top / rowHeight) - around);
  const last = Math.min(listed.length, Math.ceil((top + height) / rowHeight) + around);
  const isInView = at >= first && at < last;
  return (
    <div
      ref={box}
      class="list"
      role="listbox"
      tabIndex={0}
      aria-label={`${listed.length} of ${known.resources.size} resources`}
      aria-activedescendant={isInView ? `row-${at}` : undefined}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
    >
      <div role="presentation" style={{ height: `${listed.length * rowHeight}px` }}>
        <div role="presentation" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {listed.slice(first, last).map((one, index) => (
            <Row
              key={one.id}
              one={one}
              onSelect={onSelect}
              at={first + index}
              of={listed.length}
              isSelected={one.id === selected}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

interface RowProps {
  readonly one: ResourceView;
  readonly at: number;
  readonly of: number;
  readonly isSelected: boolean;
  readonly onSelect: (id: string) => void;
}

function Row({ one, at, of, isSelected, onSelect }: RowProps) {
  const { kind, sync, children } = one;
  const count = children.length === 1 ? '1 child' : `${children.length} children`;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the page handles the keys of the list
    <div
      id={`row-${at}`}
      class="resource"
      role="option"
      tabIndex={-1}
      aria-selected={isSelected}
      aria-posinset={at + 1}
      aria-setsize={of}
      onClick={() => onSelect(one.id)}
    >
      <span class="title">
        <b>{qualifiedNameOf(one)}</b> <span class="kind">{kind}</span>
      </span>
      <Badge state={sync.state} />
      <span class="why">{sync.message ?? `${count} up to date and ready`}</span>
    </div>
  );
}

function Nothing({ known, isFiltered, onReset }: Props) {
  if (known.read === undefined)
    return <div class="nothing">{known.unread === undefined ? 'Reading the cluster…' : ''}</div>;
  if (isFiltered)
    return (
      <div class="nothing">
        <p>No resource matches.</p>
        <button type="button" onClick={onReset}>
          Show all
        </button>
      </div>
    );
  return (
    <div class="nothing">
      <p>There are no resources of the configured kinds yet.</p>
      <p>
        Create one, <code>kubectl apply -f infra/samples/</code> for instance, and it appears here.
      </p>
    </div>
  );
}
