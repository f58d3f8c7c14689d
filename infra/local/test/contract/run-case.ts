import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, Client } from '../../client.ts';
import { compareMinors } from '../../control-plane/release.ts';
import { changeOf } from './changes.ts';
import { differences } from './compare.ts';
import type { ContractCase, Since, Step } from './contract-case.ts';
import { fillIn } from './placeholders.ts';

export interface Runner {
  readonly client: Client;
  /** The minor version of Kubernetes that the server has, or imitates: `1.36`. */
  readonly minor: string;
  readonly patienceMilliseconds: number;
}

/** Runs a case in the namespace `name` + `suffix`. Throws if it fails, or does not although its behaviour changed. */
export async function runCase(
  given: ContractCase,
  { name, suffix = '' }: { readonly name: string; readonly suffix?: string },
  runner: Runner,
): Promise<void> {
  const change = changeOf(name, runner.minor);
  const steps = runSteps(given, name + suffix, runner);
  if (change === undefined) return steps;
  const failed = await steps.then(
    () => false,
    () => true,
  );
  if (!failed) throw new Error(`${name}: not changed in ${runner.minor}: ${change}`);
}

/** Runs the steps in a namespace of their own; throws at the first unexpected answer. */
async function runSteps(given: ContractCase, namespace: string, runner: Runner): Promise<void> {
  await createNamespace(runner.client, namespace);
  const bodies = new Map<string, unknown>();
  for (const [index, unfilled] of given.steps.entries()) {
    const step = fillIn(unfilled, { namespace, bodies });
    if (isBefore(runner.minor, step.since)) {
      await requireOtherwise(given, { runner, step, bodies });
      continue;
    }
    const { answer, wrong } = await take(runner, step, bodies);
    if (wrong.length > 0) throw new Error(describeFailure(given, index, { step, answer, wrong }));
    if (step.name !== undefined) bodies.set(step.name, answer.body);
  }
}

const isBefore = (minor: string, since: Since | undefined): boolean =>
  since !== undefined && compareMinors(minor, since.minor) < 0;

/** An outdated mark is as wrong as a missing one. No answer at all counts as a different answer. */
async function requireOtherwise(
  { id }: ContractCase,
  at: { runner: Runner; step: Step; bodies: ReadonlyMap<string, unknown> },
): Promise<void> {
  const { method, path } = at.step.request;
  const outcome = await take(at.runner, at.step, at.bodies).catch(() => undefined);
  if (outcome?.wrong.length === 0) {
    throw new Error(`${id}: ${method} ${path} is answered so before ${at.step.since?.minor}, too`);
  }
}

async function createNamespace(client: Client, name: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  const answer = await client.send({ method: 'POST', path: '/api/v1/namespaces', body });
  if (answer.status !== 201) throw new Error(`cannot create namespace ${name}: ${answer.text}`);
}

interface Outcome {
  readonly answer: Answer;
  readonly wrong: readonly string[];
}

async function take(
  { client, patienceMilliseconds }: Runner,
  step: Step,
  earlier: ReadonlyMap<string, unknown>,
): Promise<Outcome> {
  const end = Date.now() + (step.eventually === true ? patienceMilliseconds : 0);
  for (;;) {
    const answer = await ask(client, step);
    const wrong = differences(step.expect, answer, earlier);
    if (wrong.length === 0 || Date.now() >= end) return { answer, wrong };
    await pause(25);
  }
}

function ask(client: Client, { request, expect }: Step): Promise<Answer> {
  const { events } = expect;
  if (events === undefined) return client.send(request);
  return client.watch(request, events.length, events[0]?.type === 'BOOKMARK');
}

function describeFailure(
  { id, reason }: ContractCase,
  index: number,
  { step, answer, wrong }: Outcome & { readonly step: Step },
): string {
  const { method, path, query = {} } = step.request;
  const asked = `${method} ${path}?${new URLSearchParams(query)}`;
  return [
    `${id}: ${reason}`,
    `step ${index + 1}${step.name === undefined ? '' : ` (${step.name})`}: ${asked}`,
    ...wrong.map((line) => `  ${line}`),
    `answer: ${answer.text.slice(0, 2000)}`,
  ].join('\n');
}
