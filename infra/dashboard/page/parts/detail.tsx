import { useEffect, useState } from 'preact/hooks';
import type { DetailView, ResourceView } from '../../views.ts';
import { ageOf, qualifiedNameOf } from '../state/states.ts';
import { postJson } from '../state/store.ts';
import { Actions } from './actions.tsx';
import { Badge } from './badge.tsx';
import { Children } from './children.tsx';

interface Props {
  readonly resource: ResourceView;
  readonly now: number;
  readonly readOnly: boolean;
  readonly onClose: () => void;
}

export function Detail({ resource, now, readOnly, onClose }: Props) {
  const detail = useDetail(resource);
  const { kind, sync, generation, observedGeneration, conditions } = resource;
  const isBehind = observedGeneration !== generation;
  return (
    <section class="detail" aria-label={`${kind} ${qualifiedNameOf(resource)}`}>
      <div class="head">
        <button type="button" class="back" onClick={onClose} aria-label="Close details">
          ←
        </button>
        <div>
          <p class="kind">{kind}</p>
          <h2>{qualifiedNameOf(resource)}</h2>
        </div>
        <Badge state={sync.state} />
      </div>
      {sync.message === undefined ? null : (
        <p class="lead">
          {sync.reason === undefined ? null : <b>{sync.reason}: </b>}
          {sync.message}
          {sync.at === undefined ? null : `, no later than ${ageOf(sync.at, now)} ago`}
        </p>
      )}
      <p class="facts">
        {detail?.created === undefined ? null : `created ${ageOf(detail.created, now)} ago, `}
        generation {generation}
        {isBehind ? `, observed generation ${observedGeneration ?? 'none'}` : ''}
        {resource.first ? ', comes first in rollouts' : ''}
      </p>
      <Actions resource={resource} readOnly={readOnly} />
      <Children {...{ resource, detail, now }} />
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
            <span class="text">
              {reason}: {message}
            </span>
          </li>
        ))}
      </ul>
      <Events detail={detail} now={now} />
    </section>
  );
}

/** Reads the details again whenever the resource changes. */
function useDetail(resource: ResourceView): DetailView | undefined {
  const [detail, setDetail] = useState<DetailView>();
  useEffect(() => {
    let isCurrent = true;
    void postJson<DetailView>('/detail', { id: resource.id })
      .catch((error: Error) => ({ events: [], createdChildren: [], failures: [error.message] }))
      .then((found) => {
        if (isCurrent) setDetail(found);
      });
    return () => {
      isCurrent = false;
    };
  }, [resource]);
  return detail;
}

function Events({ detail, now }: Pick<Props, 'now'> & { readonly detail: DetailView | undefined }) {
  return (
    <>
      <h3>Events</h3>
      {detail?.failures.map((failure) => (
        <p key={failure} class="notice warn">
          {failure}
        </p>
      ))}
      {detail?.events.length === 0 ? (
        <p class="none">None left in the cluster, which keeps them for about an hour.</p>
      ) : null}
      <ul class="events">
        {detail?.events.map(({ at, type, reason, message }) => (
          <li key={`${at} ${message}`} class={type === 'Warning' ? 'warning' : ''}>
            <time dateTime={at} title={at}>
              {ageOf(at, now)}
            </time>
            <b>{reason}</b>
            <span class="text">{message}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
