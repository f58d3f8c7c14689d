import { useState } from 'preact/hooks';
import type { HistoryItem } from '../../../views.ts';
import { ageOf } from '../../state/states.ts';

interface Props {
  readonly history: readonly HistoryItem[];
  readonly now: number;
}

const initialEntries = 15;

export function HistoryList({ history, now }: Props) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? history : history.slice(0, initialEntries);
  return (
    <>
      <h3>History</h3>
      <p class="history-note">
        Events, which Kubernetes keeps for about an hour, and the latest change of each condition
        and by each writer.
      </p>
      <ol class="history">
        {shown.map(({ at, source, of, title, text, isBad }) => (
          <li key={`${at} ${source} ${of} ${title} ${text}`} class={isBad ? 'warning' : ''}>
            <time dateTime={at} title={at}>
              {ageOf(at, now)}
            </time>
            <span class="source">{source}</span>
            <span class="what">
              {of === undefined ? null : `${of} `}
              <b>{title}</b>
              {text === '' ? null : <span class="text"> {text}</span>}
            </span>
          </li>
        ))}
      </ol>
      {history.length > shown.length ? (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {history.length}
        </button>
      ) : null}
    </>
  );
}
