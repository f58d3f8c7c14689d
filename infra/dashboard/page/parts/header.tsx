import { useEffect, useState } from 'preact/hooks';
import { ageOf, type View } from '../state/states.ts';
import type { Known } from '../state/store.ts';

interface Props {
  readonly known: Known;
  readonly now: number;
  readonly view: View;
  readonly setView: (view: View) => void;
}

const views: readonly (readonly [View, string])[] = [
  ['resources', 'Resources'],
  ['runs', 'Runs'],
];

export function PageHeader({ known, now, view, setView }: Props) {
  const { about, read, lost, unread } = known;
  const isBroken = lost !== undefined || unread !== undefined;
  return (
    <header>
      <h1>serverless-reconciler</h1>
      <nav aria-label="Views">
        {views.map(([name, label]) => (
          <button
            key={name}
            type="button"
            class="tab"
            aria-current={view === name ? 'page' : undefined}
            onClick={() => setView(name)}
          >
            {label}
          </button>
        ))}
      </nav>
      <p class="cluster" title={about?.cluster}>
        <span class="name">{about?.cluster}</span>
        {about?.readOnly ? <span class="pill">read-only</span> : null}
      </p>
      <p class={`live ${isBroken ? 'broken' : ''}`}>
        {lost !== undefined
          ? 'Disconnected'
          : read === undefined
            ? 'Reading…'
            : `${unread === undefined ? 'Live' : 'Not live'}, read ${ageOf(read.at, now)} ago`}
      </p>
      <Theme />
    </header>
  );
}

const themes = ['auto', 'light', 'dark'] as const;
type ThemeName = (typeof themes)[number];

function stored(): ThemeName {
  const found = localStorage.getItem('theme');
  return themes.find((name) => name === found) ?? 'auto';
}

function Theme() {
  const [theme, setTheme] = useState<ThemeName>(stored);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem('theme', theme);
  }, [theme]);
  return (
    <label class="theme">
      <span class="hidden">Colours</span>
      <select
        value={theme}
        onChange={({ currentTarget }) => setTheme(currentTarget.value as ThemeName)}
      >
        <option value="auto">Auto</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}
