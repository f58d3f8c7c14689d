import type { Config } from '../../../shared/config/config.ts';
import { present } from '../../../shared/json.ts';
import type { ApiProbe } from '../base/probe.ts';
import type { Remedies } from './remedies.ts';

/** The installation to check. */
export interface Installation
  extends Pick<Config, 'kinds' | 'identity' | 'namespaces' | 'ownIdentity'> {
  readonly probe: ApiProbe;
  readonly now: () => Date;
  /** The user whose permissions are checked instead of those in OWN_IDENTITY. */
  readonly as: string | undefined;
  readonly remedies: Remedies;
  readonly allowsLoss: boolean;
}

/** One requirement of an installation, and whether it is met. */
export interface DoctorCheck {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** A remedy, if possible as a command. Every failure has one. */
  readonly remedy?: string;
}

export const ok = (name: string, message: string): DoctorCheck => ({ name, state: 'ok', message });

/** Reports a requirement that is met with a caveat, or that cannot be checked from here. */
export const warn = (name: string, message: string, remedy?: string): DoctorCheck => ({
  name,
  state: 'warn',
  message,
  ...present({ remedy }),
});

export const fail = (name: string, message: string, remedy: string): DoctorCheck => ({
  ...warn(name, message, remedy),
  state: 'fail',
});

/** Says why an object could not be read. */
export const whyUnread = ({ code, message }: { code: number; message: string }): string =>
  code === 403 ? 'this user may not read it' : message;
