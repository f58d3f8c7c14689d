import { present } from '../../../shared/json.ts';
/** One requirement of an installation, and whether it is met. */
export interface DoctorCheck {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** A remedy, if possible as a command. Every failure has one. */
  readonly remedy?: string;
}

export const ok = (name: string, message: string): DoctorCheck => ({ name, state: 'ok', message });

/** Reports something that works with a caveat, or that cannot be determined from here. */
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
