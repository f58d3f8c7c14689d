import { useState } from 'preact/hooks';
import type { RolloutView } from '../views.ts';
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

/** The rollouts that are not over, each with the button that pauses it or goes on with it. */
export function Rollouts({ rollouts, readOnly }: Props) {
  const [asked, setAsked] = useState<RolloutView>();
  return (
    <>
      <div class="notices" aria-live="polite">
        {rollouts.map((one) => (
          <Rollout
            key={one.resource}
            rollout={one}
            onSteer={readOnly ? undefined : () => setAsked(one)}
          />
        ))}
      </div>
      {asked === undefined ? null : <Steer rollout={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

interface RolloutProps {
  readonly rollout: RolloutView;
  readonly onSteer: (() => void) | undefined;
}

function Rollout({ rollout, onSteer }: RolloutProps) {
  const { kind, state, done, underWay, failed, waiting } = rollout;
  const { button } = steeringOf(rollout);
  return (
    <div class={`notice rollout ${state === 'halted' ? 'bad' : 'warn'}`}>
      <p aria-atomic="true">
        <strong>
          The rollout of {kind} is {stateWords[state]}.
        </strong>{' '}
        {done} done, {underWay} under way, {failed} failed, {waiting} waiting.
      </p>
      {onSteer === undefined ? null : (
        <button type="button" aria-label={`${button} the rollout of ${kind}`} onClick={onSteer}>
          {button}
        </button>
      )}
    </div>
  );
}

interface SteerProps {
  readonly rollout: RolloutView;
  readonly onClose: () => void;
}

/** Of the rollout as it was when the button was clicked: what that says is what is agreed to. */
function Steer({ rollout, onClose }: SteerProps) {
  const { kind, resource, state, failed } = rollout;
  const { button, path, what } = steeringOf(rollout);
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

interface Steering {
  readonly button: string;
  readonly path: string;
  readonly what: string;
}

function steeringOf({ kind, resource, state, underWay, failed, waiting }: RolloutView): Steering {
  if (state !== 'paused' && state !== 'halted')
    return {
      ...{ button: 'Pause', path: '/rollout/pause' },
      what: `The annotation serverless-reconciler/rollout is set on the definition ${resource}. No further ${kind} begins, now and in rollouts to come, until it is resumed: ${waiting} wait. What is under way (${underWay}) goes on; edits, repairs and harmless changes never wait.`,
    };
  const goesOn = `The next tick goes on with those that wait (${waiting}).`;
  const without = `Those that have failed (${failed}) no longer count, and take no place: they keep what they have until a version repairs them.`;
  return {
    ...{ button: 'Resume', path: '/rollout/resume' },
    what: [goesOn, ...(failed === 0 ? [] : [without])].join(' '),
  };
}
