// Browsers start no worker for a page that was opened as a file. There, search runs in a hidden frame instead, which takes the same
// messages. On a server nothing is changed.
(function () {
  if (location.protocol !== "file:") return;

  class IFrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.appendChild(this.frame);
      this.heard = (event) => {
        if (event.source !== this.frame.contentWindow) return;
        const message = new MessageEvent("message", { data: event.data });
        this.dispatchEvent(message);
        if (this.onmessage) this.onmessage(message);
      };
      addEventListener("message", this.heard);
      const page = this.frame.contentDocument;
      page.open();
      page.write("<script>postMessage = function (data) { parent.postMessage(data, '*'); };</scr" + "ipt>" +
                 "<script src='" + url + "'></scr" + "ipt>");
      page.close();
      this.ready = new Promise((resolve) => this.frame.contentWindow.addEventListener("load", resolve));
    }
    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {
      removeEventListener("message", this.heard);
      this.frame.remove();
    }
  }
  window.IFrameWorker = window.Worker = IFrameWorker;
})();
