import { levels } from '../../../actions/sync-states.ts';
import type { ResourceView } from '../../views.ts';
import { countsOf, type Filter, wordsFor } from '../state/states.ts';

interface Props {
  readonly all: readonly ResourceView[];
  readonly filter: Filter;
  readonly setFilter: (filter: Filter) => void;
  readonly shown: number;
}

const distinct = (values: readonly string[]): readonly string[] =>
  [...new Set(values)].filter((one) => one !== '').toSorted();

export function Filters({ all, filter, setFilter, shown }: Props) {
  const counts = countsOf(all);
  const choice = (name: 'kind' | 'namespace', label: string, values: readonly string[]) => (
    <label>
      <span class="hidden">{label}</span>
      <select
        value={filter[name]}
        onChange={({ currentTarget }) => setFilter({ ...filter, [name]: currentTarget.value })}
      >
        <option value="">All {label.toLowerCase()}s</option>
        {values.map((value) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <search class="filters">
      <div class="row">
        <input
          id="search"
          type="search"
          placeholder="Search ( / )"
          aria-label="Search resources"
          value={filter.text}
          onInput={({ currentTarget }) => setFilter({ ...filter, text: currentTarget.value })}
        />
        {choice('kind', 'Kind', distinct(all.map(({ kind }) => kind)))}
        {choice('namespace', 'Namespace', distinct(all.map(({ namespace }) => namespace)))}
      </div>
      <fieldset class="chips">
        <legend class="hidden">State</legend>
        <button
          type="button"
          class="chip"
          aria-pressed={filter.state === ''}
          onClick={() => setFilter({ ...filter, state: '' })}
        >
          All <b>{all.length}</b>
        </button>
        {counts.map(([state, count]) => (
          <button
            key={state}
            type="button"
            class={`chip ${levels[state]}`}
            aria-pressed={filter.state === state}
            onClick={() => setFilter({ ...filter, state: filter.state === state ? '' : state })}
          >
            <i class="dot" />
            {wordsFor(state)} <b>{count}</b>
          </button>
        ))}
        <output class="hidden">{shown} resources shown</output>
      </fieldset>
    </search>
  );
}
