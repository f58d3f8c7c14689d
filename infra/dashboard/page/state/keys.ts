import { useLayoutEffect } from 'preact/hooks';

interface Keys {
  readonly move: (by: number) => void;
  readonly open: () => void;
  readonly close: () => void;
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, select, textarea');

/** Arrow keys scroll these parts of the page. */
const isScrolling = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('.scrolls, .detail, .runs') !== null;

/**
 * Handles the keys of the page, except in an input field or while a dialog is open. Registers the listener again after
 * each render, so that each key acts on the latest state.
 */
export function useKeys({ move, open, close }: Keys): void {
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector('dialog[open]') !== null) return;
      if (isTyping(event.target)) {
        if (event.key === 'Escape') (event.target as HTMLElement).blur();
        return;
      }
      const isOnControl =
        event.target instanceof HTMLElement && event.target.matches('button, a, summary');
      if (event.key === 'Enter' && isOnControl) return;
      if (event.key.startsWith('Arrow') && isScrolling(event.target)) return;
      const act = {
        j: () => move(1),
        ArrowDown: () => move(1),
        k: () => move(-1),
        ArrowUp: () => move(-1),
        Enter: open,
        Escape: close,
        '/': () => document.getElementById('search')?.focus(),
      }[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
}
