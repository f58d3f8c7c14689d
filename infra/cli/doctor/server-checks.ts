import type { ApiProbe } from '../base/probe.ts';
import { type DoctorCheck, fail, ok, warn } from './doctor-check.ts';
import type { Remedies } from './remedies.ts';

/** The oldest Kubernetes that is supported (docs/operating.md). */
const oldest = { major: 1, minor: 34 };

/** The largest clock skew without a warning; tokens and ages depend on the clock. */
const maxSkewMs = 10_000;

/** Checks that the API server answers, its version and its clock. */
export async function checkServer(
  probe: ApiProbe,
  { remedies, now }: { readonly remedies: Remedies; readonly now: () => Date },
): Promise<readonly DoctorCheck[]> {
  const asked = now().getTime();
  const { code, value, message, date } = await probe({ path: '/version' });
  const isVersion = code === 200 && typeof value.gitVersion === 'string';
  if (!isVersion && code !== 401 && code !== 403) {
    const words = `answers ${code} to /version: ${message}`;
    const check = fail(
      'API server',
      words,
      `${remedies.kubectl('get --raw /version')}   # is this the address of an API server?`,
    );
    return [check];
  }
  return [versionCheck(code, value), clockCheck((asked + now().getTime()) / 2, date)];
}

function versionCheck(
  code: number,
  { gitVersion, major, minor }: Readonly<Record<string, unknown>>,
): DoctorCheck {
  const name = 'API server';
  if (code !== 200) return warn(name, `reachable, but does not report its version (HTTP ${code})`);
  // Some servers report "30+".
  const version = {
    major: Number.parseInt(String(major), 10),
    minor: Number.parseInt(String(minor), 10),
  };
  const text = `reachable, ${String(gitVersion)}`;
  const isOld =
    version.major < oldest.major ||
    (version.major === oldest.major && version.minor < oldest.minor);
  if (!isOld) return ok(name, text);
  return warn(
    name,
    `${text}: older than ${oldest.major}.${oldest.minor}, the oldest that is supported`,
  );
}

function clockCheck(here: number, there: Date | undefined): DoctorCheck {
  const name = 'clock';
  if (there === undefined) return warn(name, 'the server does not report its time');
  // The Date header is cut to whole seconds: half a second late on average.
  const skew = Math.round((here - there.getTime() - 500) / 1000);
  if (Math.abs(skew) * 1000 <= maxSkewMs)
    return ok(name, `within ${Math.max(1, Math.abs(skew))} s of the server's`);
  const which = skew > 0 ? 'ahead of' : 'behind';
  return warn(
    name,
    `this machine is ${Math.abs(skew)} s ${which} the server, so times and ages here are wrong`,
    'timedatectl status',
  );
}

export type AuthenticatedUser =
  | { readonly user: string; readonly check: DoctorCheck }
  | { readonly user: undefined; readonly check: DoctorCheck };

export const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

/** Finds the user that the server authenticates us as; `user` is undefined if it refuses the credentials. */
export async function checkIdentity(
  probe: ApiProbe,
  remedies: Remedies,
): Promise<AuthenticatedUser> {
  const name = 'user';
  const { code, value, message } = await probe({ path: reviews, body: review });
  const remedy = `${remedies.kubectl('auth whoami')}   # log in to the cluster again, or choose another --context`;
  if (code === 401)
    return { user: undefined, check: fail(name, `not authenticated: ${message}`, remedy) };
  const user = userOfReview(value);
  if (user === undefined)
    return {
      user: 'the user of this context',
      check: warn(name, `the server does not report the authenticated user: ${message}`, remedy),
    };
  const isNobody = user === 'system:anonymous';
  return { user, check: isNobody ? fail(name, `${user}: no credentials`, remedy) : ok(name, user) };
}

export const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };

export function userOfReview(value: Readonly<Record<string, unknown>>): string | undefined {
  const { status } = value as { readonly status?: { readonly userInfo?: { username?: string } } };
  return status?.userInfo?.username;
}
