import { randomInt } from 'node:crypto';

// No vowels, nor what looks like one, so that no word comes out.
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const LONGEST_BASE = 58;

/** `base` and five random characters, cut to what every kind allows. */
export const generateName = (base: string): string => {
  const suffix = Array.from({ length: 5 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return `${base.slice(0, LONGEST_BASE)}${suffix}`;
};
