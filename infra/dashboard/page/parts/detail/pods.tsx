import { useLayoutEffect, useRef } from 'preact/hooks';
import type { EventView, LogView, PodsView, PodView, ResourceView } from '../../../views.ts';
import { ageOf } from '../../state/states.ts';
import { Panel } from './panel.tsx';

interface Props {
  readonly resource: ResourceView;
  readonly child: string;
  readonly of: string;
  readonly now: number;
}

export const Pods = ({ resource, child, of, now }: Props) => (
  <Panel<PodsView>
    title="Pods, Events and logs"
    path="/pods"
    body={{ id: resource.id, child }}
    since={resource}
    of={of}
  >
    {({ pods, isCut, events, logs, failures }) => (
      <>
        {failures.map((failure) => (
          <p key={failure} class="notice warn">
            {failure}
          </p>
        ))}
        {pods === undefined ? null : (
          <>
            <h4>Pods</h4>
            {pods.length === 0 && failures.length === 0 ? <p class="none">No pods.</p> : null}
            <ul class="pods">
              {pods.map((pod) => (
                <Pod key={pod.name} pod={pod} now={now} />
              ))}
            </ul>
            {isCut ? <p class="quiet">Further pods are not shown.</p> : null}
          </>
        )}
        <h4>Events</h4>
        {events.length === 0 ? (
          <p class="none">The cluster has no Events about this child.</p>
        ) : null}
        <Events events={events} now={now} />
        {logs.map((log) => (
          <Log key={`${log.pod} ${log.container}`} {...log} />
        ))}
      </>
    )}
  </Panel>
);

const words = {
  Failed: ['bad', 'Failed'],
  InProgress: ['busy', 'Not ready'],
  Deleting: ['busy', 'Deleting'],
  Current: ['good', 'Ready'],
} as const;

function Pod({ pod, now }: { readonly pod: PodView; readonly now: number }) {
  const { name, created, state, message, node, restarts, containers } = pod;
  const [level, word] = words[state];
  const facts = [
    `${ageOf(created, now)} old`,
    restarts === 0 ? [] : `${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`,
    node === undefined ? [] : `on ${node}`,
  ].flat();
  return (
    <li>
      <div class="child">
        <b class="title">{name}</b>
        <span class={`badge ${level}`}>
          <i class="dot" />
          {word}
        </span>
        <span class="facts">{facts.join(' · ')}</span>
      </div>
      {message === undefined ? null : <p class="text">{message}</p>}
      {containers.map((one) => (
        <p key={one.name} class="text">
          <b>{one.name}</b> {one.text}
        </p>
      ))}
    </li>
  );
}

const Events = ({ events, now }: Pick<PodsView, 'events'> & Pick<Props, 'now'>) => (
  <ul class="events">
    {events.map(({ at, type, reason, message, count, of }: EventView) => (
      <li key={`${at} ${of} ${message}`} class={type === 'Warning' ? 'warning' : ''}>
        <time dateTime={at} title={at}>
          {ageOf(at, now)}
        </time>
        <span>
          <b>{reason}</b> <span class="quiet">{of}</span>
        </span>
        <span class="text">
          {message}
          {count > 1 ? ` (${count} times)` : ''}
        </span>
      </li>
    ))}
  </ul>
);

/** Scrolls to the end of the log. */
function Log({ pod, container, lines }: LogView) {
  const box = useRef<HTMLElement>(null);
  const text = lines.join('\n');
  useLayoutEffect(() => box.current?.scrollTo(0, box.current.scrollHeight), [text]);
  return (
    <>
      <h4>
        Last lines of {container} in {pod}
      </h4>
      <section
        ref={box}
        class="scrolls code log"
        aria-label={`Log of ${container} in ${pod}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        tabIndex={0}
      >
        <pre>{text}</pre>
      </section>
    </>
  );
}
