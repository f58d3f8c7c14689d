import { useState } from 'preact/hooks';
import type { RolloutView } from '../../views.ts';
import { ConfirmDialog } from './dialog.tsx';

interface Props {
  readonly rollouts: readonly RolloutView[];
  readonly readOnly: boolean;
}

const stateWords = {
  none: 'over',
  underWay: 'under way',
  paused: 'paused',
  halted: 'halted',
} as const;

export function Rollouts({ rollouts, readOnly }: Props) {
  const [asked, setAsked] = useState<RolloutView>();
  return (
    <>
      <div class="notices" aria-live="polite">
        {rollouts.map((one) => (
          <Rollout
            key={one.resource}
            rollout={one}
            onAsk={readOnly ? undefined : () => setAsked(one)}
          />
        ))}
      </div>
      {asked === undefined ? null : <Confirm rollout={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

interface RolloutProps {
  readonly rollout: RolloutView;
  readonly onAsk: (() => void) | undefined;
}

function Rollout({ rollout, onAsk }: RolloutProps) {
  const { kind, state, done, underWay, failed, waiting } = rollout;
  const { button } = rolloutButtonOf(rollout);
  return (
    <div class={`notice rollout ${state === 'halted' ? 'bad' : 'warn'}`}>
      <p aria-atomic="true">
        <strong>
          The rollout of {kind} is {stateWords[state]}.
        </strong>{' '}
        {done} done, {underWay} under way, {failed} failed, {waiting} waiting.
      </p>
      {onAsk === undefined ? null : (
        <button type="button" aria-label={`${button} the rollout of ${kind}`} onClick={onAsk}>
          {button}
        </button>
      )}
    </div>
  );
}

interface ConfirmProps {
  readonly rollout: RolloutView;
  readonly onClose: () => void;
}

/** Shows the rollout as it was when the user clicked, even if it changes meanwhile. */
function Confirm({ rollout, onClose }: ConfirmProps) {
  const { kind, resource, state, failed } = rollout;
  const { button, path, what } = rolloutButtonOf(rollout);
  return (
    <ConfirmDialog
      title={`${button} the rollout of ${kind}`}
      button={button}
      request={{ path, body: { resource, state, failed } }}
      onClose={onClose}
    >
      <p>{what}</p>
    </ConfirmDialog>
  );
}

interface RolloutButton {
  readonly button: string;
  readonly path: string;
  readonly what: string;
}

function rolloutButtonOf({
  kind,
  resource,
  state,
  underWay,
  failed,
  waiting,
}: RolloutView): RolloutButton {
  if (state !== 'paused' && state !== 'halted')
    return {
      button: 'Pause',
      path: '/rollout/pause',
      what: `Sets the annotation serverless-reconciler/rollout on the CRD ${resource}. Until you resume the rollout, no further ${kind} is changed (${waiting} waiting). Resources in progress (${underWay}) continue; edits, repairs and non-disruptive changes are not delayed.`,
    };
  const goesOn = `The next resync continues with the waiting resources (${waiting}).`;
  const without = `Failed resources (${failed}) no longer halt the rollout and take no slot. Their children stay as they are until a new version repairs the resources.`;
  return {
    button: 'Resume',
    path: '/rollout/resume',
    what: [goesOn, ...(failed === 0 ? [] : [without])].join(' '),
  };
}
