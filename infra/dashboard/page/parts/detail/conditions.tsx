import type { ResourceView } from '../../../views.ts';
import { ageOf } from '../../state/states.ts';

interface Props {
  readonly resource: ResourceView;
  readonly now: number;
}

export function Conditions({ resource: { conditions, sync }, now }: Props) {
  return (
    <>
      <h3>Conditions</h3>
      {conditions.length === 0 ? <p class="none">No run has written a status yet.</p> : null}
      <ul class="conditions">
        {conditions.map(({ type, status, reason, message, lastTransitionTime }) => (
          <li key={type}>
            <b>{type}</b> {status}{' '}
            <span class="quiet">
              for {ageOf(lastTransitionTime, now)}
              {type === 'Ready' && status === 'True' && sync.state !== 'InSync'
                ? ', as of the last run'
                : ''}
            </span>
            <span class="text">{[reason, message].filter(Boolean).join(': ')}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
