import type { DetailView, ResourceView } from '../../../views.ts';
import { usePosted } from '../../state/response.ts';
import { withRuns } from '../../state/runs-of.ts';
import { ageOf, qualifiedNameOf } from '../../state/states.ts';
import type { Known } from '../../state/store.ts';
import { Actions } from '../actions.tsx';
import { Badge } from '../badge.tsx';
import { Children } from './children.tsx';
import { Conditions } from './conditions.tsx';
import { HistoryList } from './history.tsx';
import { ManifestPanel } from './manifest.tsx';

interface Props {
  readonly resource: ResourceView;
  readonly known: Known;
  readonly now: number;
  readonly readOnly: boolean;
  readonly onClose: () => void;
}

export function Detail({ resource, known, now, readOnly, onClose }: Props) {
  const { response: detail, problem } = usePosted<DetailView>(
    '/detail',
    { id: resource.id },
    resource,
  );
  const failures = problem === undefined ? (detail?.failures ?? []) : [problem];
  // Treats an absent value like -1, the CRD's default until the first run.
  const { kind, sync, generation, observedGeneration = -1 } = resource;
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
          {sync.at === undefined ? null : `, at least ${ageOf(sync.at, now)} ago`}
        </p>
      )}
      <p class="facts">
        {detail?.created === undefined ? null : `created ${ageOf(detail.created, now)} ago, `}
        generation {generation}
        {isBehind
          ? `, observed generation ${observedGeneration < 0 ? 'none' : observedGeneration}`
          : ''}
        {resource.first ? ', comes first in rollouts' : ''}
      </p>
      <Actions resource={resource} readOnly={readOnly} />
      <ManifestPanel resource={resource} of={`${kind} ${resource.name}`} />
      <Children resource={resource} detail={detail} now={now} />
      <Conditions resource={resource} now={now} />
      {failures.map((failure) => (
        <p key={failure} class="notice warn">
          {failure}
        </p>
      ))}
      <HistoryList history={withRuns(detail?.history ?? [], resource, known.timeline)} now={now} />
    </section>
  );
}
