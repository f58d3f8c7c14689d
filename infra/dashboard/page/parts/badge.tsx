import { type State, tones, words } from '../state/states.ts';

export const Badge = ({ state }: { readonly state: State }) => (
  <span class={`badge ${tones[state]}`}>
    <i class="dot" />
    {words[state]}
  </span>
);
