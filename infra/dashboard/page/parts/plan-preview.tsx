import type { Preview } from '../../../../shared/preview/preview.ts';
import { because } from '../../../origin-text.ts';
import type { PlanView } from '../../views.ts';
import { shownValue } from './detail/differences.tsx';

type Planned = Preview['resources'][number];
type PlannedAction = Planned['actions'][number];

export function PlanPreview({ preview, impact }: Pick<PlanView, 'preview' | 'impact'>) {
  const { resources, incomplete, pruning, requests, idle } = preview;
  return (
    <div class="plan">
      {incomplete.map(({ kind, error, ofChildren }) => (
        <p key={error} class="notice warn">
          {ofChildren ? `children in ${kind}` : kind} could not be planned: {error}
        </p>
      ))}
      {resources.length === 0 ? (
        <p>
          {idle.suspended > 0
            ? 'Nothing to do: the resource is suspended.'
            : 'Nothing to do: the resource is up to date.'}
        </p>
      ) : null}
      {resources.map((one) => (
        <ul key={one.uid} class="steps">
          {one.message === undefined ? null : <li class="notice warn">{one.message}</li>}
          {one.actions.map((action) => (
            <Step key={`${action.child.kind} ${action.child.name}`} {...action} />
          ))}
          {one.status === undefined ? null : (
            <li>
              <b>status</b> {one.status.state}
              {'reason' in one.status ? ` ${one.status.reason}` : ''}
            </li>
          )}
          {one.events.map(({ reason, message }) => (
            <li key={message}>
              <b>Event</b> {reason}: {message}
            </li>
          ))}
        </ul>
      ))}
      {pruning === 'allowed' ? null : <p class="notice warn">Deletions are withheld: {pruning}.</p>}
      {impact.length === 0 ? null : (
        <p>
          <b>Impact:</b> {impact.join('; ')}
        </p>
      )}
      <p class="quiet">{requests.toPerform === 0 ? 'Nothing to apply.' : toApply(requests)}</p>
    </div>
  );
}

const toApply = ({ toPerform }: Preview['requests']): string =>
  `${toPerform === 1 ? '1 request' : `${toPerform} requests`} to apply it.`;

function Step({ verb, child, reason, message, differences, later, origin }: PlannedAction) {
  const waiting = later?.differences ?? [];
  return (
    <li class={verb}>
      <b>{verb}</b> {child.kind} {child.name}
      {reason === undefined ? '' : `: ${reason}: ${message}`}
      {verb === 'create' ? ` with ${differences.length} fields` : ''}
      {origin === undefined ? '' : `, ${because(origin)}`}
      {verb === 'create' || differences.length + waiting.length === 0 ? null : (
        <ul>
          {differences.map(({ path, from, to, writer }) => (
            <li key={path}>
              {path} {shownValue(from)} → {shownValue(to)}
              {writer === undefined ? '' : `, changed by ${writer.manager}`}
            </li>
          ))}
          {waiting.map(({ path, from, to }) => (
            <li key={`later ${path}`}>
              later: {path} {shownValue(from)} → {shownValue(to)}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
