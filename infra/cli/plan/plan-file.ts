import { readFileSync } from 'node:fs';
import { Type } from 'typebox';
import { Check, Errors } from 'typebox/schema';
import { messageOf } from '../../../shared/cluster/cluster-errors.ts';
import type { Preview } from '../../../shared/preview/preview.ts';
import { parseRequest, type ReconcileRequest } from '../../../shared/reconcile-request.ts';
import { storedPreviewSchema } from '../../actions/stale-plan.ts';
import { writePrivateFile } from '../../private-file.ts';
import { CommandError, UsageError } from '../base/command-errors.ts';

const form = { format: 'serverless-reconciler/plan', version: 1 } as const;

/** A plan to apply later, with the versions of the objects that it is based on. */
export type PlanFile = ReturnType<typeof planFile>;

export const planFile = (request: ReconcileRequest, preview: Preview) => ({
  ...form,
  request,
  preview,
});

const schema = Type.Object({
  format: Type.Literal(form.format),
  version: Type.Literal(form.version),
  request: Type.Unknown(),
  preview: storedPreviewSchema,
});

export function readPlanFile(file: string) {
  const value = parse(file);
  if (!Check(schema, value)) {
    const [first] = Errors(schema, value)[1];
    const where =
      first === undefined ? '' : ` (${`${first.instancePath} ${first.message}`.trim()})`;
    throw new UsageError(`${file} is not a plan${where}: write one with plan --out FILE`);
  }
  const request = parseRequest(value.request);
  if (typeof request === 'string')
    throw new UsageError(
      `${file} is not a plan, because its request is invalid: ${request}; write a plan with plan --out FILE`,
    );
  return { request, preview: value.preview };
}

function parse(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(
      `the plan ${file} cannot be read: ${messageOf(error)}; write one with plan --out FILE, or apply a new plan: apply --kind KIND, or apply KIND NAME`,
    );
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is not a plan: not valid JSON; write one with plan --out FILE`);
  }
}

export function writePlanFile(file: string, plan: PlanFile): void {
  try {
    writePrivateFile(file, `${JSON.stringify(plan, null, 2)}\n`);
  } catch (error) {
    throw new CommandError(
      `the plan cannot be written to ${file}: ${messageOf(error)}; choose another --out FILE`,
    );
  }
}
