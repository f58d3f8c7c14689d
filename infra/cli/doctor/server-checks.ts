import { textAt } from '../../../shared/json.ts';
import type { ApiProbe } from '../base/probe.ts';
import { type DoctorCheck, fail, type Installation, ok, warn } from './doctor-check.ts';

/** The oldest supported version of Kubernetes (docs/operating.md). */
const oldest = '1.34';

/** The largest clock skew without a warning. Tokens and displayed ages depend on the clock. */
const maxSkewMs = 10_000;

export async function checkServer({
  probe,
  remedies,
  now,
}: Installation): Promise<readonly DoctorCheck[]> {
  const asked = now().getTime();
  const { code, value, message, date } = await probe({ path: '/version' });
  const version = code === 200 ? textAt(value, 'gitVersion') : undefined;
  if (version === undefined && code !== 401 && code !== 403) {
    const remedy = `${remedies.kubectl('get --raw /version')}   # is this the address of an API server?`;
    return [fail('API server', `returns ${code} for /version: ${message}`, remedy)];
  }
  return [versionCheck(code, version), clockCheck((asked + now().getTime()) / 2, date)];
}

function versionCheck(code: number, version: string | undefined): DoctorCheck {
  const name = 'API server';
  if (version === undefined)
    return warn(name, `reachable, but does not report its version (HTTP ${code})`);
  const text = `reachable, ${version}`;
  return version.localeCompare(`v${oldest}`, 'en', { numeric: true }) < 0
    ? warn(name, `${text}: older than ${oldest}, the oldest supported version`)
    : ok(name, text);
}

function clockCheck(here: number, there: Date | undefined): DoctorCheck {
  const name = 'clock';
  if (there === undefined) return warn(name, 'the server does not report its time');
  // The Date header omits fractions of a second, so on average it is half a second behind.
  const skew = Math.round((here - there.getTime() - 500) / 1000);
  if (Math.abs(skew) * 1000 <= maxSkewMs)
    return ok(name, `within ${Math.max(1, Math.abs(skew))} s of the server's clock`);
  const which = skew > 0 ? 'ahead of' : 'behind';
  return warn(
    name,
    `this machine is ${Math.abs(skew)} s ${which} the server, so times and ages here are wrong`,
    'timedatectl status',
  );
}

/** With `as`, asks as that user: the response shows whether impersonation is allowed. */
export async function authenticatedUser(probe: ApiProbe, as?: string) {
  const { code, value, message } = await probe({
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    as,
  });
  return { code, user: textAt(value, 'status', 'userInfo', 'username'), message };
}

export async function checkUser({ probe, remedies }: Installation) {
  const name = 'user';
  const { code, user, message } = await authenticatedUser(probe);
  const remedy = `${remedies.kubectl('auth whoami')}   # log in to the cluster again, or choose another --context`;
  if (code === 401)
    return { user: undefined, check: fail(name, `not authenticated: ${message}`, remedy) };
  if (user === undefined)
    return {
      user: 'the user of this context',
      check: warn(name, `the server does not report the authenticated user: ${message}`, remedy),
    };
  const isNobody = user === 'system:anonymous';
  return { user, check: isNobody ? fail(name, `${user}: no credentials`, remedy) : ok(name, user) };
}
