import { levels, type StateName } from '../../../actions/sync-states.ts';
import { wordsFor } from '../state/states.ts';

export const Badge = ({ state }: { readonly state: StateName }) => (
  <span class={`badge ${levels[state]}`}>
    <i class="dot" />
    {wordsFor(state)}
  </span>
);
