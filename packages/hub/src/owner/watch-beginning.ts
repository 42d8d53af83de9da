/** While a program begins, it is looked at again and again whether what it reads is still what it was. */

/** Between two looks. */
const LOOK_MS = 3;
/** About 300 ms: by then interpreters have read what they run. */
const MAX_LOOKS = 100;

export interface Beginning {
  /** One last look, where the program ends before the watch does. */
  end(): void;
}

/** As soon as `mayBegin` says no, the group of the program is killed and `onNo` called. */
export function watchBeginning(pid: number, mayBegin: () => boolean, onNo: () => void): Beginning {
  let looks = 0;
  const timer = setInterval(look, LOOK_MS);

  function look(): void {
    looks += 1;
    const isRight = mayBegin();
    if (isRight && looks < MAX_LOOKS) return;
    clearInterval(timer);
    if (isRight) return;
    kill(pid);
    onNo();
  }

  return {
    end() {
      if (looks < MAX_LOOKS) look();
      clearInterval(timer);
    },
  };
}

function kill(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already, or there are no groups here: whoever is told ends it.
  }
}
