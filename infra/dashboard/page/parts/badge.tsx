import { type StateText, tones, words } from '../state/states.ts';

export const Badge = ({ state }: { readonly state: StateText }) => (
  <span class={`badge ${tones[state]}`}>
    <i class="dot" />
    {words[state]}
  </span>
);
